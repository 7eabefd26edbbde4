"""Tests of archives, the plain fold, the kernel and the replay."""
