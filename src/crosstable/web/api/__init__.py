"""Operations of ``/api/v1`` that are not the twin of a page, and the description of them all."""
