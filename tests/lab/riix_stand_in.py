"""A stand-in for riix: two classes that are called as riix's are, and do something that a test can do once more.

The suite does not need riix. What is tested is what goes to the library and comes back; that riix itself is called
rightly shows where it is installed (``make peers``).
"""

from pathlib import Path

ELO = """
import math

class Elo:
    def __init__(self, competitors, initial_rating, k, update_method):
        assert update_method == "batched"
        self.rating, self.k = {one: initial_rating for one in competitors}, k

    def expected(self, one, other):
        return 1 / (1 + math.pow(10, (self.rating[other] - self.rating[one]) / 400))

    def predict(self, pairs, time_step):
        return [self.expected(*pair) for pair in pairs.tolist()]

    def update(self, pairs, scores, time_step, use_cache):
        changes = [self.k * (s - self.expected(*p)) for p, s in zip(pairs.tolist(), scores.tolist())]
        for (one, other), change in zip(pairs.tolist(), changes):
            self.rating[one] += change
            self.rating[other] -= change
"""
# What it expects grows with the time step, so that a test sees which step it was told.
GLICKO2 = """
class Glicko2:
    def __init__(self, competitors, update_method, **parameters):
        assert sorted(parameters) == ["initial_rating", "initial_rd", "initial_sigma", "tau"]
        self.tau = parameters["tau"]

    def predict(self, pairs, time_step):
        return [self.tau + time_step / 1000] * len(pairs)

    def update(self, pairs, scores, time_step, use_cache):
        pass
"""


def write_stand_in(folder: Path) -> str:
    """Write the package into a folder, which has to be looked in for modules."""
    models = folder / "riix" / "models"
    models.mkdir(parents=True)
    for path, text in (
        (folder / "riix" / "__init__.py", ""),
        (models / "__init__.py", ""),
        (models / "elo.py", ELO),
        (models / "glicko2.py", GLICKO2),
    ):
        path.write_text(text, encoding="utf-8")
    return str(folder)
