commit
