-- Version 1.
-- `*_json` holds Candid values in the tagged form of value_json.py. No secret is ever in here.

-- The person's lists ------------------------------------------------------------------------------------------------

CREATE TABLE network (
    name      TEXT NOT NULL PRIMARY KEY,
    url       TEXT NOT NULL,
    root_key  BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE ledger (
    root_key         BLOB    NOT NULL,
    canister         TEXT    NOT NULL,
    name             TEXT    NOT NULL,
    full_name        TEXT    NOT NULL,
    symbol           TEXT    NOT NULL,
    decimals         INTEGER NOT NULL CHECK (decimals BETWEEN 0 AND 255),
    fee              TEXT    NOT NULL,
    minting_account  TEXT,
    standards_json   TEXT    NOT NULL,
    max_memo_bytes   TEXT    NOT NULL,
    tx_window_ns     INTEGER NOT NULL CHECK (tx_window_ns >= 0),
    drift_ns         INTEGER NOT NULL CHECK (drift_ns >= 0),
    window_assumed   INTEGER NOT NULL CHECK (window_assumed IN (0, 1)),
    dedup_proven     INTEGER NOT NULL CHECK (dedup_proven IN (0, 1)),
    dedup_broken     INTEGER NOT NULL CHECK (dedup_broken IN (0, 1)),
    PRIMARY KEY (root_key, canister),
    UNIQUE (root_key, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE identity (
    name       TEXT    NOT NULL PRIMARY KEY,
    principal  TEXT    NOT NULL,
    curve      TEXT    NOT NULL,
    backed_up  INTEGER NOT NULL CHECK (backed_up IN (0, 1)),
    kept_in    TEXT    NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE setting (
    key    TEXT NOT NULL PRIMARY KEY,
    value  TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE network_time (
    root_key  BLOB    NOT NULL PRIMARY KEY,
    time      INTEGER NOT NULL CHECK (time >= 0)
) STRICT, WITHOUT ROWID;

-- Intents -----------------------------------------------------------------------------------------------------------

CREATE TABLE pack (
    seq   INTEGER PRIMARY KEY,
    name  TEXT NOT NULL,
    text  TEXT NOT NULL,
    UNIQUE (name, text)
) STRICT;

CREATE TABLE intent (
    seq              INTEGER PRIMARY KEY AUTOINCREMENT,
    -- What was confirmed: written once (R12).
    id               TEXT    NOT NULL UNIQUE,
    network          TEXT    NOT NULL,
    root_key         BLOB    NOT NULL,
    ledger           TEXT    NOT NULL,
    ledger_name      TEXT    NOT NULL,
    method           TEXT    NOT NULL,
    sender           TEXT    NOT NULL,
    pack_seq         INTEGER NOT NULL REFERENCES pack (seq),
    arguments_json   TEXT    NOT NULL,
    fee_is_auto      INTEGER NOT NULL CHECK (fee_is_auto IN (0, 1)),
    amount_is_max    INTEGER NOT NULL CHECK (amount_is_max IN (0, 1)),
    lookup_key       BLOB    NOT NULL,
    stamp            INTEGER NOT NULL CHECK (stamp >= 0),
    tx_window_ns     INTEGER NOT NULL CHECK (tx_window_ns >= 0),
    drift_ns         INTEGER NOT NULL CHECK (drift_ns >= 0),
    window_assumed   INTEGER NOT NULL CHECK (window_assumed IN (0, 1)),
    argument_bytes   BLOB    NOT NULL,
    argument_sha256  BLOB    NOT NULL,
    from_account     TEXT    NOT NULL,
    to_account       TEXT    NOT NULL,
    amount           TEXT    NOT NULL,
    fee              TEXT    NOT NULL,
    symbol           TEXT    NOT NULL,
    decimals         INTEGER NOT NULL,
    memo             BLOB,
    warnings_json    TEXT    NOT NULL,
    anchor_index     TEXT,
    anchor_hash      BLOB,
    supersedes       TEXT    REFERENCES intent (id),
    prepared_at      INTEGER NOT NULL CHECK (prepared_at >= 0),
    -- What became of it: moved by compare-and-set on `version`.
    version          INTEGER NOT NULL DEFAULT 0,
    ref              TEXT,
    superseded_by    TEXT    REFERENCES intent (id) DEFERRABLE INITIALLY DEFERRED,
    dropped          INTEGER NOT NULL DEFAULT 0 CHECK (dropped IN (0, 1)),
    confirmed        INTEGER NOT NULL DEFAULT 0 CHECK (confirmed IN (0, 1)),
    state            TEXT    NOT NULL CHECK (state IN ('prepared', 'sending', 'retry_same', 'rejected', 'unknown',
                                                       'retry_new', 'reconcile', 'ask', 'settled')),
    outcome_class    TEXT,
    case_path        TEXT,
    payload_json     TEXT    NOT NULL,
    settled_by       TEXT    CHECK (settled_by IN ('reply', 'history', 'person', 'restamp')),
    moved            INTEGER CHECK (moved IN (0, 1)),
    block            TEXT,
    duplicate_of     TEXT,
    look_due         INTEGER NOT NULL CHECK (look_due IN (0, 1)),
    duplicate_json   TEXT,
    -- Settled or put away: nothing that the person still has to look after.
    at_rest          INTEGER NOT NULL GENERATED ALWAYS AS (state = 'settled' OR dropped = 1) VIRTUAL,
    -- Whether preparing the same again leads here: unsettled, or ended as not executed and not yet re-stamped (R13, R14).
    holds_key        INTEGER NOT NULL GENERATED ALWAYS AS (
        state <> 'settled' OR (moved IS 0 AND superseded_by IS NULL AND settled_by IN ('history', 'person'))) VIRTUAL,
    CHECK ((settled_by IS NOT NULL) = (state = 'settled')),
    CHECK ((anchor_index IS NULL) = (anchor_hash IS NULL))
) STRICT;

CREATE UNIQUE INDEX intent_open ON intent (lookup_key) WHERE holds_key = 1;                      -- R13
CREATE UNIQUE INDEX intent_stamp ON intent (root_key, sender, stamp);                            -- R11
CREATE UNIQUE INDEX intent_supersedes ON intent (supersedes) WHERE supersedes IS NOT NULL;       -- R23
CREATE INDEX intent_key_stamp ON intent (lookup_key, stamp);                                     -- R14
CREATE INDEX intent_payee ON intent (root_key, ledger, to_account, seq);                         -- R28
CREATE INDEX intent_listed ON intent (at_rest, seq DESC);
CREATE INDEX intent_look_due ON intent (look_due, seq) WHERE look_due = 1;                       -- R27
CREATE INDEX intent_pack ON intent (pack_seq);
CREATE INDEX intent_superseded_by ON intent (superseded_by) WHERE superseded_by IS NOT NULL;

CREATE TABLE reference (
    ref        TEXT NOT NULL PRIMARY KEY,
    intent_id  TEXT NOT NULL REFERENCES intent (id)
) STRICT, WITHOUT ROWID;

CREATE INDEX reference_intent ON reference (intent_id);

-- Attempts and their evidence: only ever added to -------------------------------------------------------------------

CREATE TABLE attempt (
    intent_id   TEXT    NOT NULL REFERENCES intent (id),
    n           INTEGER NOT NULL CHECK (n >= 1),
    request_id  BLOB    NOT NULL,
    envelope    BLOB    NOT NULL,
    expiry      INTEGER NOT NULL CHECK (expiry >= 0),
    sent_at     INTEGER NOT NULL CHECK (sent_at >= 0),
    posts       INTEGER NOT NULL CHECK (posts >= 1),
    PRIMARY KEY (intent_id, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE evidence (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    intent_id    TEXT    NOT NULL,
    n            INTEGER NOT NULL,
    kind         TEXT    NOT NULL CHECK (kind IN ('reply', 'rejected', 'not_sent', 'status', 'silence')),
    facts_json   TEXT    NOT NULL,
    raw          BLOB,
    certificate  BLOB,
    FOREIGN KEY (intent_id, n) REFERENCES attempt (intent_id, n)
) STRICT;

CREATE INDEX evidence_attempt ON evidence (intent_id, n, seq);

CREATE TABLE finding (
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    intent_id   TEXT NOT NULL REFERENCES intent (id),
    kind        TEXT NOT NULL CHECK (kind IN ('found', 'absent', 'cannot_tell', 'answered', 'looked_again')),
    facts_json  TEXT NOT NULL
) STRICT;

CREATE INDEX finding_intent ON finding (intent_id, seq);

CREATE TABLE alarm (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    intent_id     TEXT    NOT NULL REFERENCES intent (id),
    text          TEXT    NOT NULL,
    acknowledged  INTEGER NOT NULL DEFAULT 0 CHECK (acknowledged IN (0, 1))
) STRICT;

CREATE INDEX alarm_intent ON alarm (intent_id, seq);

-- How far a history was read for an intent: a bookmark, no evidence --------------------------------------------------

CREATE TABLE reading (
    intent_id   TEXT NOT NULL PRIMARY KEY REFERENCES intent (id),
    facts_json  TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What no code of ours may do, however wrong it is ------------------------------------------------------------------

CREATE TRIGGER intent_is_kept BEFORE DELETE ON intent
BEGIN SELECT RAISE (ABORT, 'R29: an intent is kept for ever'); END;

CREATE TRIGGER intent_facts_stand BEFORE UPDATE OF
    seq, id, network, root_key, ledger, ledger_name, method, sender, pack_seq, arguments_json, fee_is_auto, amount_is_max,
    lookup_key, stamp, tx_window_ns, drift_ns, window_assumed, argument_bytes, argument_sha256, from_account, to_account, amount,
    fee, symbol, decimals, memo, warnings_json, anchor_index, anchor_hash, supersedes, prepared_at ON intent
BEGIN SELECT RAISE (ABORT, 'R12: what was confirmed never changes'); END;

CREATE TRIGGER intent_stays_settled BEFORE UPDATE OF state ON intent
WHEN OLD.state = 'settled' AND NEW.state <> 'settled'
BEGIN SELECT RAISE (ABORT, 'R18: a settled intent is never reopened'); END;

CREATE TRIGGER intent_stays_confirmed BEFORE UPDATE OF confirmed ON intent
WHEN OLD.confirmed > NEW.confirmed
BEGIN SELECT RAISE (ABORT, 'R15: a confirmation stands'); END;

CREATE TRIGGER intent_keeps_its_reference BEFORE UPDATE OF ref ON intent
WHEN OLD.ref IS NOT NULL AND OLD.ref IS NOT NEW.ref
BEGIN SELECT RAISE (ABORT, 'R36: a reference belongs to one intent for ever'); END;

CREATE TRIGGER intent_moves_forward BEFORE UPDATE ON intent
WHEN NEW.version <> OLD.version + 1
BEGIN SELECT RAISE (ABORT, 'R31: every change of an intent raises its version by one'); END;

CREATE TRIGGER reference_is_kept BEFORE DELETE ON reference
BEGIN SELECT RAISE (ABORT, 'R36: a reference is kept for ever'); END;

CREATE TRIGGER reference_passes_to_the_successor BEFORE UPDATE ON reference
WHEN NEW.ref <> OLD.ref
    OR (SELECT supersedes FROM intent WHERE id = NEW.intent_id) IS NOT OLD.intent_id
BEGIN SELECT RAISE (ABORT, 'R36: a reference passes to the successor only'); END;

CREATE TRIGGER pack_is_kept BEFORE DELETE ON pack
BEGIN SELECT RAISE (ABORT, 'R12: a pack that was used is kept'); END;

CREATE TRIGGER pack_stands BEFORE UPDATE ON pack
BEGIN SELECT RAISE (ABORT, 'R12: a pack that was used never changes'); END;

CREATE TRIGGER attempt_needs_confirmation BEFORE INSERT ON attempt
WHEN (SELECT confirmed AND state <> 'settled' AND superseded_by IS NULL FROM intent WHERE id = NEW.intent_id) IS NOT 1
BEGIN SELECT RAISE (ABORT, 'R15: nothing is sent without a confirmation, or after the end'); END;

CREATE TRIGGER attempt_is_kept BEFORE DELETE ON attempt
BEGIN SELECT RAISE (ABORT, 'R29: an attempt is kept for ever'); END;

CREATE TRIGGER attempt_stands BEFORE UPDATE ON attempt
WHEN NEW.intent_id <> OLD.intent_id OR NEW.n <> OLD.n OR NEW.request_id <> OLD.request_id
    OR NEW.envelope <> OLD.envelope OR NEW.expiry <> OLD.expiry OR NEW.sent_at <> OLD.sent_at OR NEW.posts < OLD.posts
BEGIN SELECT RAISE (ABORT, 'R29: of an attempt only the count of its posts grows'); END;

CREATE TRIGGER evidence_is_kept BEFORE DELETE ON evidence
BEGIN SELECT RAISE (ABORT, 'R29: evidence is kept for ever'); END;

CREATE TRIGGER evidence_stands BEFORE UPDATE ON evidence
BEGIN SELECT RAISE (ABORT, 'R29: evidence never changes'); END;

CREATE TRIGGER finding_is_kept BEFORE DELETE ON finding
BEGIN SELECT RAISE (ABORT, 'R25: a finding is kept for ever'); END;

CREATE TRIGGER finding_stands BEFORE UPDATE ON finding
BEGIN SELECT RAISE (ABORT, 'R25: a finding never changes'); END;

CREATE TRIGGER alarm_stands BEFORE UPDATE ON alarm
WHEN NEW.intent_id <> OLD.intent_id OR NEW.text <> OLD.text OR NEW.acknowledged < OLD.acknowledged
BEGIN SELECT RAISE (ABORT, 'R35: an alarm is put to rest, never changed'); END;

CREATE TRIGGER alarm_is_kept BEFORE DELETE ON alarm
BEGIN SELECT RAISE (ABORT, 'R35: an alarm is kept for ever'); END;
