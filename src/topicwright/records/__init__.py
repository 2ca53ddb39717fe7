"""Results about models and documents as records that JSON can hold, shared by the command line and the HTTP API."""
