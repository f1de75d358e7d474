"""Rules about the meaning of exchanges, which no schema states: for runs, checks and the pytest marker alike."""
