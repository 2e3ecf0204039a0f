"""The tables of the state file, as a list of migrations."""

_FIRST = """
CREATE TABLE conversation (
    id INTEGER PRIMARY KEY, project TEXT NOT NULL, title TEXT NOT NULL, created_at REAL NOT NULL, session TEXT
) STRICT;
CREATE TABLE run (
    id TEXT PRIMARY KEY, conversation INTEGER NOT NULL, token_hash TEXT NOT NULL UNIQUE, started_at REAL NOT NULL,
    pid INTEGER, pid_started REAL, ended_at REAL
) STRICT;
CREATE TABLE prompt (
    id INTEGER PRIMARY KEY, conversation INTEGER NOT NULL, author INTEGER NOT NULL, text TEXT NOT NULL,
    at REAL NOT NULL, files TEXT NOT NULL, state TEXT NOT NULL
) STRICT;
CREATE INDEX prompt_waiting ON prompt (conversation) WHERE state IN ('queued', 'sent');
CREATE TABLE turn (
    id TEXT PRIMARY KEY, conversation INTEGER NOT NULL, run TEXT NOT NULL, offset INTEGER NOT NULL,
    started_at REAL NOT NULL, prompt INTEGER, prompted_by INTEGER, "end" INTEGER
) STRICT;
CREATE INDEX turn_run ON turn (run);
CREATE TABLE ticket (
    id TEXT PRIMARY KEY, conversation INTEGER NOT NULL, run TEXT NOT NULL, tool_use_id TEXT NOT NULL,
    request TEXT NOT NULL, origin TEXT NOT NULL, opened_at REAL NOT NULL, state TEXT NOT NULL, detail TEXT NOT NULL,
    draft TEXT NOT NULL, before TEXT, turn TEXT NOT NULL,
    UNIQUE (run, tool_use_id)
) STRICT;
CREATE INDEX ticket_open ON ticket (conversation) WHERE state = 'open';
CREATE TABLE standing (
    view TEXT NOT NULL, key TEXT NOT NULL, channel INTEGER NOT NULL, message INTEGER NOT NULL, digest TEXT NOT NULL,
    PRIMARY KEY (view, key)
) STRICT;
CREATE INDEX standing_message ON standing (message);
"""

_OWN_CHOICES = "ALTER TABLE conversation ADD COLUMN own TEXT NOT NULL DEFAULT '{}';"

_NOTHING_LOST = """
ALTER TABLE turn ADD COLUMN shown INTEGER NOT NULL DEFAULT 0;
UPDATE turn SET shown = 1 WHERE "end" IS NOT NULL;
CREATE INDEX turn_unshown ON turn (conversation) WHERE shown = 0;
CREATE INDEX standing_channel ON standing (channel);
CREATE TABLE seen (channel INTEGER PRIMARY KEY, message INTEGER NOT NULL) STRICT;
CREATE TABLE in_hand (message INTEGER PRIMARY KEY, channel INTEGER NOT NULL) STRICT;
"""

_FOUND_AGAIN = """
ALTER TABLE conversation ADD COLUMN parent INTEGER;
ALTER TABLE conversation ADD COLUMN forks TEXT;
ALTER TABLE prompt ADD COLUMN after REAL NOT NULL DEFAULT 0;
ALTER TABLE turn ADD COLUMN cost REAL;
CREATE INDEX conversation_session ON conversation (session);
"""

_DECISIONS = """
CREATE TABLE rule (
    id INTEGER PRIMARY KEY AUTOINCREMENT, project TEXT NOT NULL, conversation INTEGER, tool TEXT NOT NULL,
    content TEXT NOT NULL, made_by INTEGER NOT NULL, made_at REAL NOT NULL
) STRICT;
CREATE INDEX rule_project ON rule (project);
CREATE TABLE audit (
    number INTEGER PRIMARY KEY AUTOINCREMENT, content TEXT NOT NULL, seal TEXT NOT NULL,
    project TEXT GENERATED ALWAYS AS (json_extract(content, '$.project')),
    source TEXT GENERATED ALWAYS AS (json_extract(content, '$.source')),
    run TEXT GENERATED ALWAYS AS (json_extract(content, '$.run')),
    tool_use_id TEXT GENERATED ALWAYS AS (json_extract(content, '$.tool_use_id'))
) STRICT;
CREATE INDEX audit_project ON audit (project);
CREATE UNIQUE INDEX audit_passed ON audit (run, tool_use_id) WHERE source = 'rule';
CREATE TRIGGER audit_unchanged BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the record is only added to'); END;
CREATE TRIGGER audit_whole BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the record is only added to'); END;
"""

_FROM_DISCORD = """
CREATE TABLE project_choice (
    project TEXT NOT NULL, layer TEXT NOT NULL, choices TEXT NOT NULL, PRIMARY KEY (project, layer)
) STRICT;
CREATE TABLE added_project (
    name TEXT PRIMARY KEY, folder TEXT NOT NULL, channels TEXT NOT NULL,
    added_by INTEGER NOT NULL, added_at REAL NOT NULL
) STRICT;
CREATE TABLE worktree (
    conversation INTEGER PRIMARY KEY, repository TEXT NOT NULL, path TEXT NOT NULL, folder TEXT NOT NULL,
    branch TEXT NOT NULL, base TEXT NOT NULL, fork TEXT NOT NULL, created_at REAL NOT NULL, spared TEXT NOT NULL
) STRICT;
"""

_FILES_AS_THEY_ARE = """
ALTER TABLE ticket ADD COLUMN file_exists INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ticket ADD COLUMN leads_to TEXT NOT NULL DEFAULT '';
UPDATE ticket SET file_exists = 1 WHERE before IS NOT NULL;
"""

_CARDS_STAY_TRUE = """
ALTER TABLE ticket ADD COLUMN hidden TEXT NOT NULL DEFAULT '';
ALTER TABLE ticket ADD COLUMN stamp TEXT NOT NULL DEFAULT '';
ALTER TABLE ticket ADD COLUMN changed_at REAL NOT NULL DEFAULT 0;
"""

MIGRATIONS = (
    _FIRST,
    _OWN_CHOICES,
    _NOTHING_LOST,
    _FOUND_AGAIN,
    _DECISIONS,
    _FROM_DISCORD,
    _FILES_AS_THEY_ARE,
    _CARDS_STAY_TRUE,
)
"""Each migration upgrades the previous version. Never change a released one; add a new one."""
