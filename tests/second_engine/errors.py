"""What the second engine refuses to do."""


class NotKnown(Exception):  # noqa: N818
    """A rule that was once in force but whose text is missing (readings 112)."""


class NotRatable(Exception):  # noqa: N818
    """A section that cannot be rated, or not in the system asked for; the message is the reason."""
