"""The laboratory: made-up federations whose players have true strengths, and what can be learned from them.

``simulate`` makes a federation from a seed and writes it as an archive; ``season`` makes a small one as event files.
Sees everything but the doors and the office.
"""
