-- How often each operation served a row: {"memory.get": 3}. Counted from here on; served_count began earlier.
ALTER TABLE loom.memory_usage ADD COLUMN served_by jsonb NOT NULL DEFAULT '{}';
