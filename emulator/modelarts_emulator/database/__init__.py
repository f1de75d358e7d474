"""The database that holds the emulator's state: opened, created, migrated, and written in transactions."""
