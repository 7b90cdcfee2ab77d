"""The files site: nested folders, sharing, storage and a trash."""
