"""The tables of the store, as numbered steps: step n leads from version n - 1 to version n.

May import: the standard library. Read next: `database.py`, which takes the steps.
A step that was released is never changed; a new one goes to the end. Nothing in a table tells a hand (invariant I7):
deals stand sealed, and whatever is compared is keyed (`keys.py`).
"""

from __future__ import annotations

from typing import Final

Step = tuple[str, ...]
"""The statements of one step, in their order."""

_KEY: Final[Step] = (
    # Which key file belongs to this store: an id that only the key gives.
    "CREATE TABLE store_key (the_one INTEGER PRIMARY KEY CHECK (the_one = 1), key_id BLOB NOT NULL)",
)

_SETS: Final[Step] = (
    """
    CREATE TABLE sets (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL,
        name_key TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('imported', 'game', 'championship', 'lesson')),
        event TEXT NOT NULL,
        date TEXT NOT NULL,
        created TEXT NOT NULL,
        board_range TEXT NOT NULL,
        board_count INTEGER NOT NULL CHECK (board_count > 0),
        source TEXT NOT NULL,
        manifest TEXT NOT NULL,
        state TEXT,
        public_value TEXT NOT NULL DEFAULT '',
        public_value_fixed TEXT,
        published TEXT,
        thrown_away INTEGER NOT NULL,
        thrown TEXT,
        content_tag BLOB NOT NULL,
        sealed BLOB,
        passphrase_lock BLOB,
        recovery_lock BLOB,
        CHECK ((kind = 'championship') = (state IS NOT NULL)),
        CHECK ((passphrase_lock IS NULL) = (recovery_lock IS NULL)),
        CHECK ((sealed IS NULL) = (thrown IS NOT NULL))
    )
    """,
    "CREATE UNIQUE INDEX sets_by_name ON sets (name_key) WHERE thrown IS NULL",
    "CREATE UNIQUE INDEX sets_by_content ON sets (content_tag, kind) WHERE thrown IS NULL",
    """
    CREATE TABLE set_boards (
        set_number INTEGER NOT NULL REFERENCES sets (number),
        board INTEGER NOT NULL,
        tag BLOB NOT NULL,
        PRIMARY KEY (set_number, board)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX set_boards_by_tag ON set_boards (tag)",
)

_REGISTER: Final[Step] = (
    """
    CREATE TABLE used_deals (
        entry BLOB NOT NULL,
        run INTEGER NOT NULL,
        set_number INTEGER NOT NULL REFERENCES sets (number),
        board INTEGER NOT NULL,
        copy TEXT NOT NULL,
        facing BLOB NOT NULL,
        time TEXT NOT NULL,
        PRIMARY KEY (entry, run)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX used_deals_by_set ON used_deals (set_number)",
)

_DECISIONS: Final[Step] = (
    """
    CREATE TABLE decisions (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        time TEXT NOT NULL,
        what TEXT NOT NULL,
        who TEXT NOT NULL,
        details TEXT NOT NULL,
        chain BLOB NOT NULL CHECK (typeof(chain) = 'blob' AND length(chain) = 32),
        mark BLOB NOT NULL
    )
    """,
    """
    CREATE TRIGGER decisions_stay BEFORE UPDATE ON decisions
    BEGIN SELECT RAISE (ABORT, 'the log of decisions is append-only'); END
    """,
    """
    CREATE TRIGGER decisions_remain BEFORE DELETE ON decisions
    BEGIN SELECT RAISE (ABORT, 'the log of decisions is append-only'); END
    """,
)

_COPIES: Final[Step] = (
    """
    CREATE TABLE copies (
        run INTEGER PRIMARY KEY,
        set_number INTEGER NOT NULL REFERENCES sets (number),
        board INTEGER NOT NULL,
        copy TEXT NOT NULL,
        simulated INTEGER NOT NULL CHECK (simulated IN (0, 1)),
        begun TEXT NOT NULL,
        verdict TEXT,
        judged TEXT,
        CHECK ((verdict IS NULL) = (judged IS NULL))
    )
    """,
    "CREATE INDEX copies_by_board ON copies (set_number, board)",
)

_JOURNAL: Final[Step] = (
    # What a run leaves is in the journal, once.
    "DROP TABLE copies",
    """
    CREATE TABLE journal (
        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
        what TEXT NOT NULL,
        run INTEGER NOT NULL,
        time TEXT NOT NULL,
        value TEXT NOT NULL,
        who TEXT NOT NULL,
        open_end INTEGER NOT NULL CHECK (open_end IN (0, 1)),
        card_ms INTEGER,
        chain BLOB NOT NULL CHECK (typeof(chain) = 'blob' AND length(chain) = 32)
    )
    """,
    """
    CREATE TABLE intents (
        sequence INTEGER PRIMARY KEY REFERENCES journal (sequence),
        run INTEGER NOT NULL,
        plan_tag BLOB NOT NULL,
        board INTEGER NOT NULL,
        copy TEXT NOT NULL,
        serial TEXT NOT NULL,
        boot_id INTEGER NOT NULL,
        odometer INTEGER NOT NULL,
        board_edges INTEGER NOT NULL,
        set_number INTEGER REFERENCES sets (number),
        deal_board INTEGER NOT NULL,
        simulated INTEGER NOT NULL CHECK (simulated IN (0, 1)),
        is_check INTEGER NOT NULL CHECK (is_check IN (0, 1))
    )
    """,
    """
    CREATE TABLE evidence (
        sequence INTEGER NOT NULL REFERENCES journal (sequence),
        card INTEGER NOT NULL,
        state INTEGER NOT NULL,
        proof INTEGER NOT NULL,
        as_planned INTEGER CHECK (as_planned IN (0, 1)),
        PRIMARY KEY (sequence, card)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX journal_by_run ON journal (run, what, sequence)",
    "CREATE INDEX intents_by_run ON intents (run, sequence)",
    "CREATE INDEX intents_by_board ON intents (board)",
    "CREATE INDEX intents_by_set ON intents (set_number, deal_board)",
    # Each run once: its newest intent, the first GO and the newest entries of other kinds that followed it.
    """
    CREATE VIEW runs AS SELECT
        i.*,
        (SELECT min(sequence) FROM journal WHERE run = i.run AND what = 'go' AND sequence > i.sequence) AS go,
        (SELECT max(sequence) FROM journal WHERE run = i.run AND what = 'verdict' AND sequence > i.sequence) AS judged,
        (SELECT max(sequence) FROM journal WHERE run = i.run AND what = 'closed' AND sequence > i.sequence) AS closed
    FROM intents i WHERE i.sequence = (SELECT max(sequence) FROM intents WHERE run = i.run)
    """,
    *(
        f"CREATE TRIGGER {table}_{name} BEFORE {change} ON {table} "
        "BEGIN SELECT RAISE (ABORT, 'the journal is append-only'); END"
        for table in ("journal", "intents", "evidence")
        for name, change in (("stays", "UPDATE"), ("remains", "DELETE"))
    ),
)

_QUEUE: Final[Step] = (
    # The order in which jobs are dealt is that of `place`; a job whose copies are all dealt is not in the queue.
    """
    CREATE TABLE jobs (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        place INTEGER NOT NULL,
        set_number INTEGER REFERENCES sets (number),
        boards TEXT NOT NULL,
        copies TEXT NOT NULL,
        board_order TEXT NOT NULL CHECK (board_order IN ('box by box', 'board by board')),
        descending INTEGER NOT NULL CHECK (descending IN (0, 1)),
        as_board INTEGER,
        released INTEGER NOT NULL CHECK (released IN (0, 1)),
        added TEXT NOT NULL
    )
    """,
    """
    CREATE TABLE board_copies (
        job INTEGER NOT NULL REFERENCES jobs (number) ON DELETE CASCADE,
        place INTEGER NOT NULL,
        board INTEGER NOT NULL,
        copy TEXT NOT NULL,
        deal_board INTEGER NOT NULL,
        stand TEXT NOT NULL CHECK (stand IN ('waiting', 'claimed', 'starting', 'begun', 'open', 'left', 'dealt')),
        machine TEXT NOT NULL,
        run INTEGER NOT NULL,
        PRIMARY KEY (job, place)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX board_copies_by_run ON board_copies (run) WHERE run != 0",
    "CREATE INDEX board_copies_to_deal ON board_copies (job) WHERE stand != 'dealt'",
)

MIGRATIONS: Final[tuple[Step, ...]] = ((*_KEY, *_SETS, *_REGISTER, *_DECISIONS, *_COPIES), _JOURNAL, _QUEUE)
