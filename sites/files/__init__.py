"""Files in the cloud: folders in folders, sharing, storage and a trash."""
