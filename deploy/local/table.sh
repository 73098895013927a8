# shellcheck shell=bash
# The processes of the pipeline as data. A new process is a new line in each table that concerns it.

DATABASES=(acuse inventory logistics documents notifications) # each with a role of its own, which owns it and nothing else

# Kinds of process, in the order in which they start; the program has the kind's name, unless it is said here.
KINDS=(inventory logistics documents notifications checkout order-worker suspect-worker compensation console)
declare -A PROGRAM=([suspect-worker]=order-worker)

# Settings of a kind alone.
declare -A SETTING=([suspect-worker]='ACUSE_ORDERS=suspects')

# Kinds that may run several times, and how many there are by default; their processes are KIND-1, KIND-2…
declare -A INSTANCES=([order-worker]=${ACUSE_WORKERS:-1})

# The database that a kind works on.
declare -A DATABASE=(
  [inventory]=inventory [logistics]=logistics [documents]=documents [notifications]=notifications
  [checkout]=acuse [order-worker]=acuse [suspect-worker]=acuse [compensation]=acuse [console]=acuse
)

# Who may call a kind; each caller has a token.
declare -A CALLERS=(
  [inventory]='order-worker compensation operator' [logistics]='order-worker operator'
  [documents]='order-worker compensation operator' [notifications]='order-worker compensation operator'
  [checkout]='shop operator' [console]='operator'
)

# The caller that a kind is when it calls others, and whom it calls.
declare -A CALLS_AS=([order-worker]=order-worker [suspect-worker]=order-worker [compensation]=compensation)
declare -A CALLS=(
  [order-worker]='inventory logistics documents notifications'
  [suspect-worker]='inventory logistics documents notifications'
  [compensation]='inventory documents notifications'
)

# The broker's user that a kind is.
declare -A BROKER_USER=(
  [checkout]=checkout [order-worker]=order-worker [suspect-worker]=order-worker [compensation]=compensation
  [console]=console
)

# Kinds that hand out links to themselves.
declare -A PUBLIC=([documents]=yes)

# Users of the broker: tags; then what each may configure, write and read. The operator is a person with the command
# line, who lays the topology through the management API.
BROKER_USERS=(checkout order-worker compensation console operator)
WORKERS_WRITE='^orders\.(retry|compensation|dlx|invalid|events)$'
declare -A BROKER_TAGS=([operator]=policymaker,monitoring)
declare -A BROKER_CONFIGURE=([operator]='^orders(\..*)?$')
declare -A BROKER_WRITE=(
  [checkout]='^orders$' [order-worker]=$WORKERS_WRITE [compensation]=$WORKERS_WRITE
  [console]='^orders(\.compensation)?$' [operator]='^orders(\..*)?$'
)
declare -A BROKER_READ=(
  [order-worker]='^orders\.process(\.suspect)?$' [compensation]='^orders\.compensation$'
  [console]='^orders\.((process|compensation)\.dlq|invalid)$' [operator]='^orders(\..*)?$'
)

# Settings that a process takes over from whoever starts it.
PASSED_ON=(ACUSE_LOG ACUSE_LOG_FORMAT ACUSE_LATENCY_MS ACUSE_ERRORS_PERCENT ACUSE_TIMEOUTS_PERCENT ACUSE_CALL_MS ACUSE_CONSUMERS ACUSE_GRACE_SECONDS ACUSE_BACKLOG_MAX)
