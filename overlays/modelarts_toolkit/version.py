"""The version of this distribution, from which its metadata are made; to ask them would take 15 ms."""

VERSION = "0.1.0"
