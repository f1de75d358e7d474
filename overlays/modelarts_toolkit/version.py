"""The version of this distribution, which its metadata would take 15 ms to say."""

VERSION = "0.1.0"
