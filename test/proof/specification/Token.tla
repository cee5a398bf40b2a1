------------------------------- MODULE Token -------------------------------
(***************************************************************************)
(* The lock token of one request, its message and its copies on a queue    *)
(* that delivers at least once, and workers that die, run on after their   *)
(* lease, and lose the answers to their writes. The worker has one effect: *)
(* `made` counts how often it happened. src/library/protocol/claim/token has the code; a    *)
(* word after "->" is the function that an action stands for.              *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets

CONSTANTS
    Workers,     \* attempts that are at work at the same time
    Forms,       \* what is sent under the id: "good", "invalid" (no schema knows it), "other" (another payload)
    OnFailure,   \* "none"; "told": a death is told, and can be redriven; "final": nothing of the request runs after it
    MaxAttempts, \* in one life of the request
    MaxIds,      \* attempts in all; a search ends there
    MaxFaults    \* kills, slow writes, leases that end under a live worker, deliveries after an acknowledgement

\* `holder`, `made`, `begun`, `told` and `kept` are in no table: they count what the promises speak of.
VARIABLES token, queue, acknowledged, dead, worker, late, ids, faults, holder, made, begun, told, kept

vars == <<token, queue, acknowledged, dead, worker, late, ids, faults, holder, made, begun, told, kept>>

----------------------------------------------------------------------------
(* Data *)

NoToken == [status |-> "none", owner |-> 0, payload |-> "none", attempt |-> 0, lease |-> "none", waits |-> FALSE,
            resend |-> 0, confirmed |-> FALSE, death |-> 0, marked |-> FALSE, told |-> {}, final |-> FALSE, untold |-> FALSE]

\* A message: the original has retry 0; a copy for a retry has its number; a dead letter has the number of its death, and so have
\* the copies that are made of it. `by` is the attempt that sent it: two messages may say the same.
Original(form) == [form |-> form, retry |-> 0, death |-> 0, letter |-> FALSE, by |-> 0]

Payload(m) == IF m.form = "other" THEN "other" ELSE "good"

Idle == [pc |-> "idle", id |-> 0, message |-> Original("good"), seen |-> NoToken]

Claims == {"start", "takeOver", "reopen", "deadLetter"}
Owned  == {"effect", "settle", "resend", "confirm", "dying", "bury", "giveUp"}

Init ==
    /\ token = NoToken
    /\ queue = {Original(form) : form \in Forms}
    /\ acknowledged = {} /\ dead = {} /\ late = {}
    /\ worker = [w \in Workers |-> Idle]
    /\ ids = 0 /\ faults = 0 /\ holder = 0 /\ made = 0 /\ begun = [life |-> 0, attempts |-> 0] /\ told = {}
    /\ kept = [fence |-> TRUE, lease |-> TRUE, due |-> TRUE, told |-> TRUE, payload |-> TRUE, asked |-> TRUE, own |-> TRUE]

----------------------------------------------------------------------------
(* The decision -> decideClaim *)

WasClaimed(m) == m.retry > 0 \/ m.death > 0

IsRunning(t) == t.status \in {"inProgress", "ending"}

IsReplaced(t, m) ==
    /\ ~m.letter
    /\ t.lease = "none"
    /\ t.confirmed
    /\ m.retry < t.resend

\* What is final gives its letter to the act alone, and only when that was given up. A redrive waits for an act that runs, and takes
\* over one that rests.
IsRedriven(t, m) ==
    /\ IF t.final THEN t.status = "error" /\ t.untold /\ m.letter
       ELSE t.status = "error" \/ (t.status = "ending" /\ t.lease # "live")
    /\ m.death = t.death

Unfinished(t, m) ==
    IF t.lease = "live" THEN "held"
    ELSE IF IsReplaced(t, m) THEN "replaced"
    ELSE IF m.form = "invalid" /\ t.status = "inProgress" THEN "deadLetter"
    ELSE IF t.waits THEN "early"
    ELSE IF t.attempt >= MaxAttempts /\ t.status = "inProgress" THEN "deadLetter"
    ELSE "takeOver"

Verdict(t, m, id) ==
    IF t.status = "none" THEN
        IF m.form = "invalid" /\ (WasClaimed(m) \/ OnFailure = "none") THEN "refuse"
        ELSE IF WasClaimed(m) THEN "lost"
        ELSE "start"
    ELSE IF t.owner = id /\ IsRunning(t) THEN "mine"
    ELSE IF Payload(m) # t.payload THEN "conflict"
    ELSE IF IsRedriven(t, m) THEN
        IF m.form = "invalid" /\ ~t.final THEN "refuse" ELSE "reopen"
    ELSE IF t.status \in {"complete", "error"} THEN "over"
    ELSE IF t.status = "dying" THEN
        IF t.lease = "live" /\ t.owner # id THEN "held" ELSE "deadLetter"
    ELSE Unfinished(t, m)

(* Outside this module: `park` is for keys, which have no message (test/call/takeOver.test.ts). *)

----------------------------------------------------------------------------
(* Writes: each is conditional, and returns the item that refused it *)

\* -> asJudged: the token is unchanged since the verdict.
Judged(t, seen) ==
    /\ t.owner = seen.owner
    /\ t.status = seen.status
    /\ t.lease = seen.lease

\* -> ownedBy: the fence.
Fenced(t, id, status) ==
    /\ t.owner = id
    /\ t.status = status

Holds(t, w) ==
    IF w.pc \in Claims THEN Judged(t, w.seen)
    ELSE /\ Fenced(t, w.id, IF w.pc = "bury" THEN "dying" ELSE w.seen.status)
         /\ w.pc = "effect" => IF t.status = "ending" THEN t.death \notin t.told ELSE ~t.marked

Ended(t) == [t EXCEPT !.lease = "none", !.waits = FALSE, !.resend = 0, !.confirmed = FALSE]

Written(t, w) ==
    CASE w.pc = "start" -> [NoToken EXCEPT !.status = "inProgress", !.owner = w.id, !.attempt = 1, !.lease = "live",
                                           !.payload = Payload(w.message)]                    \* -> newToken
      [] w.pc = "takeOver" -> [t EXCEPT !.owner = w.id, !.attempt = w.seen.attempt + 1,
                                        !.lease = "live", !.waits = FALSE]                    \* -> takeOver
      [] w.pc = "reopen" ->
            IF t.final
            THEN [t EXCEPT !.status = "ending", !.owner = w.id, !.attempt = 1, !.lease = "live", !.waits = FALSE,
                           !.confirmed = FALSE, !.untold = FALSE]
            ELSE [Ended(t) EXCEPT !.status = "inProgress", !.owner = w.id, !.attempt = 1, !.lease = "live",
                                  !.untold = FALSE]                                           \* -> reopen
      [] w.pc = "deadLetter" -> [t EXCEPT !.status = "dying", !.owner = w.id, !.lease = "live",
                                          !.death = IF w.seen.status = "dying" THEN w.seen.death ELSE w.seen.death + 1]
                                                                                              \* -> takeOverToDeadLetter
      [] w.pc = "effect" -> IF t.status = "ending" THEN [t EXCEPT !.told = @ \cup {t.death}]
                            ELSE [t EXCEPT !.marked = TRUE]                                   \* -> addEffect
      [] w.pc = "settle" -> IF w.seen.status = "ending" THEN [Ended(t) EXCEPT !.status = "error", !.untold = FALSE]
                            ELSE [Ended(t) EXCEPT !.status = "complete"]                      \* -> complete, endAct
      [] w.pc = "giveUp" -> [Ended(t) EXCEPT !.status = "error", !.untold = TRUE]             \* -> giveUpAct
      [] w.pc = "resend" -> [t EXCEPT !.lease = "none", !.confirmed = FALSE, !.resend = w.seen.resend + 1,
                                      !.untold = @ \/ t.status = "ending",
                                      !.waits = IF t.resend > w.seen.resend THEN @ ELSE TRUE] \* -> scheduleResend
      [] w.pc = "confirm" -> [t EXCEPT !.confirmed = TRUE]                                    \* -> confirmResend
      [] w.pc = "dying" -> [t EXCEPT !.status = "dying", !.death = w.seen.death + 1]          \* -> startDeadLettering
      [] w.pc = "bury" ->
            IF OnFailure = "none" THEN [Ended(t) EXCEPT !.status = "error"]
            ELSE [t EXCEPT !.status = "ending", !.attempt = 0, !.lease = "none", !.confirmed = FALSE,
                           !.waits = OnFailure = "final" /\ t.lease = "live",
                           !.final = OnFailure = "final"]                                     \* -> finishDeadLettering

\* An effect, and its mark: of the request, or of its onFailure.
Makes(w) == w.pc = "effect" /\ token.status # "ending"
Tells(w) == w.pc = "effect" /\ token.status = "ending"

Apply(w) ==
    /\ token' = Written(token, w)
    /\ made' = IF Makes(w) THEN made + 1 ELSE made
    /\ told' = IF Tells(w) THEN told \cup {token.death} ELSE told
    /\ holder' = IF w.pc \in Claims THEN w.id ELSE IF w.pc \in {"settle", "bury", "giveUp"} THEN 0 ELSE holder
    /\ kept' =
        [fence |-> kept.fence /\ (w.pc \in Owned => w.id = holder),
         lease |-> kept.lease /\ ~(w.pc \in Claims /\ token.lease = "live"),
         due |-> kept.due /\ ~(w.pc = "takeOver" /\ token.waits),
         told |-> kept.told /\ ~(Tells(w) /\ token.death \in told),
         payload |-> kept.payload /\ ~(w.pc \in Claims /\ w.pc # "start" /\ Payload(w.message) # token.payload),
         asked |-> kept.asked /\ ~(w.pc = "reopen" /\ w.message.death # token.death),
         own |-> kept.own]

IsMade(t, w) ==
    CASE w.pc = "effect" -> t.status = w.seen.status /\ IF t.status = "ending" THEN t.death \in t.told ELSE t.marked
      [] w.pc = "settle" -> t.status = IF w.seen.status = "ending" THEN "error" ELSE "complete"
      [] w.pc = "dying" -> t.status = "dying"
      [] w.pc = "bury" -> t.status = IF OnFailure = "none" THEN "error" ELSE "ending"
      [] w.pc = "giveUp" -> t.status = "error"
      [] OTHER -> FALSE

\* -> wasWritten, marksOf: a write whose answer was lost is known by the item that refuses it when it is made again.
WasWritten(t, w) ==
    /\ t.owner = w.id
    /\ IsMade(t, w)

Next_(pc) ==
    CASE pc \in {"start", "takeOver", "reopen"} -> "run"
      [] pc = "deadLetter" -> "sendDead"
      [] pc = "effect" -> "made"
      [] pc \in {"settle", "giveUp"} -> "acknowledge"
      [] pc = "resend" -> "sendCopy"
      [] pc = "confirm" -> "acknowledge"
      [] pc = "dying" -> "sendDead"
      [] pc = "bury" -> IF OnFailure = "none" THEN "acknowledge" ELSE "again"

----------------------------------------------------------------------------
(* A worker *)

Become(w, state) == worker' = [worker EXCEPT ![w] = state]
Goes(w, pc) == Become(w, [worker[w] EXCEPT !.pc = pc])

Around == <<queue, acknowledged, dead, late>>
Counts == <<holder, made, begun, told, kept>>

\* Each death of a request ends a life: a redrive begins the next one. Attempts at onFailure are not counted here.
Begin(t) ==
    IF t.status = "ending" THEN begun
    ELSE IF begun.life = t.death THEN [begun EXCEPT !.attempts = begun.attempts + 1]
    ELSE [life |-> t.death, attempts |-> 1]

Receive(w) ==
    /\ worker[w].pc = "idle"
    /\ \E m \in queue : Become(w, [Idle EXCEPT !.pc = "decide", !.message = m])
    /\ UNCHANGED <<token, Around, ids, faults, Counts>>

\* SQS may deliver a message once more after it was deleted.
ReceiveAgain(w) ==
    /\ worker[w].pc = "idle"
    /\ faults < MaxFaults
    /\ \E m \in acknowledged : Become(w, [Idle EXCEPT !.pc = "decide", !.message = m])
    /\ faults' = faults + 1
    /\ UNCHANGED <<token, Around, ids, Counts>>

Decide(w) ==
    LET me == worker[w]
        verdict == Verdict(token, me.message, me.id)
        isOwn == token.owner = me.id /\ me.id # 0
        id == IF me.id = 0 THEN ids + 1 ELSE me.id
    IN  /\ me.pc = "decide"
        /\ IF verdict = "deadLetter" /\ isOwn THEN
               Become(w, [me EXCEPT !.pc = "sendDead", !.seen = token]) /\ ids' = ids
           ELSE
           CASE verdict \in Claims ->
                  /\ id <= MaxIds
                  /\ ids' = IF me.id = 0 THEN id ELSE ids
                  /\ Become(w, [me EXCEPT !.pc = verdict, !.id = id, !.seen = token])
             [] verdict = "mine" -> Become(w, [me EXCEPT !.pc = "run", !.seen = token]) /\ ids' = ids
             [] verdict \in {"over", "replaced"} -> Goes(w, "acknowledge") /\ ids' = ids
             [] verdict \in {"refuse", "lost", "conflict"} -> Goes(w, "sendRefused") /\ ids' = ids
             [] verdict \in {"held", "early"} -> Become(w, Idle) /\ ids' = ids
        /\ begun' = IF verdict = "mine" THEN Begin(token) ELSE begun
        /\ kept' = [kept EXCEPT !.own = @ /\ ~(isOwn /\ verdict = "held")]
        /\ UNCHANGED <<token, Around, faults, holder, made, told>>

\* What the worker is told of its write.
Told(w) ==
    LET me == worker[w] IN
        IF Holds(token, me) THEN
            /\ Apply(me)
            /\ IF Next_(me.pc) = "again" THEN Become(w, Idle)
               ELSE Become(w, [me EXCEPT !.pc = Next_(me.pc), !.seen = IF me.pc \in Claims THEN token' ELSE me.seen])
            /\ begun' = IF me.pc \in {"start", "takeOver", "reopen"} THEN Begin(token') ELSE begun
        ELSE
            /\ UNCHANGED <<token, Counts>>
            /\ IF me.pc \in Claims THEN Goes(w, "decide")
               ELSE IF WasWritten(token, me) /\ Next_(me.pc) # "again" THEN Goes(w, Next_(me.pc))
               ELSE IF me.pc = "confirm" THEN Goes(w, "acknowledge")
               ELSE Become(w, Idle)

Write(w) ==
    /\ worker[w].pc \in Claims \cup Owned
    /\ Told(w)
    /\ UNCHANGED <<Around, ids, faults>>

\* A try of the write is slow, or its answer is lost: the SDK makes the write again, and the first try arrives whenever it likes.
WriteSlowly(w) ==
    /\ worker[w].pc \in Claims \cup Owned
    /\ faults < MaxFaults
    /\ faults' = faults + 1
    /\ late' = late \cup {worker[w]}
    /\ UNCHANGED <<token, queue, acknowledged, dead, worker, ids, Counts>>

\* The handler, or onFailure: makes its effect, or throws before it; returns after it, or throws.
Handle(w) ==
    LET me == worker[w]
        Fails == Goes(w, IF me.seen.attempt < MaxAttempts /\ me.message.form # "invalid" THEN "resend"
                         ELSE IF me.seen.status = "ending" THEN "giveUp" ELSE "dying")
    IN  /\ me.pc \in {"run", "made"}
        /\ \/ me.pc = "run" /\ (me.message.form # "invalid" \/ me.seen.status = "ending") /\ Goes(w, "effect")
           \/ me.pc = "made" /\ Goes(w, "settle")
           \/ Fails
        /\ UNCHANGED <<token, Around, ids, faults, Counts>>

SendCopy(w) ==
    LET me == worker[w] IN
    /\ me.pc = "sendCopy"
    /\ queue' = queue \cup {[form |-> me.message.form, retry |-> me.seen.resend + 1, death |-> me.message.death,
                              letter |-> FALSE, by |-> me.id]}
    /\ Goes(w, "confirm")
    /\ UNCHANGED <<token, acknowledged, dead, late, ids, faults, Counts>>

SendDead(w) ==
    LET me == worker[w] IN
    /\ me.pc = "sendDead"
    /\ dead' = dead \cup {[form |-> me.message.form, retry |-> 0, letter |-> TRUE, by |-> me.id,
                           death |-> IF me.seen.status = "dying" THEN me.seen.death ELSE me.seen.death + 1]}
    /\ Goes(w, "bury")
    /\ UNCHANGED <<token, queue, acknowledged, late, ids, faults, Counts>>

\* The letter of a copy tells of a death, too: else it would pass for a message that nobody has claimed.
SendRefused(w) ==
    LET m == worker[w].message IN
    /\ worker[w].pc = "sendRefused"
    /\ ids < MaxIds /\ ids' = ids + 1
    /\ dead' = dead \cup {[form |-> m.form, retry |-> 0, letter |-> TRUE, by |-> ids + 1,
                           death |-> IF m.death = 0 /\ m.retry > 0 THEN 1 ELSE m.death]}
    /\ Goes(w, "acknowledge")
    /\ UNCHANGED <<token, queue, acknowledged, late, faults, Counts>>

Acknowledge(w) ==
    /\ worker[w].pc = "acknowledge"
    /\ queue' = queue \ {worker[w].message}
    /\ acknowledged' = acknowledged \cup {worker[w].message}
    /\ Become(w, Idle)
    /\ UNCHANGED <<token, dead, late, ids, faults, Counts>>

----------------------------------------------------------------------------
(* Around the workers *)

\* A worker dies; a write that is on its way may still arrive, whenever it likes.
Kill(w) ==
    /\ worker[w].pc # "idle"
    /\ faults < MaxFaults
    /\ faults' = faults + 1
    /\ late' \in {late} \cup (IF worker[w].pc \in Claims \cup Owned THEN {late \cup {worker[w]}} ELSE {})
    /\ Become(w, Idle)
    /\ UNCHANGED <<token, queue, acknowledged, dead, ids, Counts>>

ArriveLate ==
    \E one \in late :
        /\ late' = late \ {one}
        /\ IF Holds(token, one) THEN Apply(one) ELSE UNCHANGED <<token, holder, made, told, kept>>
        /\ UNCHANGED <<queue, acknowledged, dead, worker, ids, faults, begun>>

IsAlive == \E w \in Workers : worker[w].id = token.owner /\ worker[w].pc # "idle"

\* A lease ends under a live worker only as a fault: Lambda was late, or runs on.
LeaseEnds ==
    /\ token.lease = "live"
    /\ token' = [token EXCEPT !.lease = "over"]
    /\ IF IsAlive THEN faults < MaxFaults /\ faults' = faults + 1 ELSE faults' = faults
    /\ UNCHANGED <<queue, acknowledged, dead, worker, late, ids, Counts>>

RetryIsDue ==
    /\ token.waits /\ token' = [token EXCEPT !.waits = FALSE]
    /\ UNCHANGED <<queue, acknowledged, dead, worker, late, ids, faults, Counts>>

\* The retention of a completed token is over. Longer than it last only dead letters: what never was claimed is then refused by its age,
\* outside this module. -> isForgotten
Forget ==
    /\ token.status = "complete"
    /\ late = {} /\ \A w \in Workers : worker[w].pc = "idle"
    /\ \A m \in queue \cup dead : WasClaimed(m)
    /\ token' = NoToken /\ acknowledged' = {}
    /\ UNCHANGED <<queue, dead, worker, late, ids, faults, Counts>>

\* An operator puts a dead letter back.
Redrive ==
    \E letter \in dead :
        /\ dead' = dead \ {letter} /\ queue' = queue \cup {letter}
        /\ UNCHANGED <<token, acknowledged, worker, late, ids, faults, Counts>>

Rest ==
    /\ \/ ids = MaxIds
       \/ queue = {} /\ dead = {} /\ \A w \in Workers : worker[w].pc = "idle"
    /\ UNCHANGED vars

Next ==
    \/ \E w \in Workers :
        \/ Receive(w) \/ ReceiveAgain(w) \/ Decide(w) \/ Write(w) \/ WriteSlowly(w)
        \/ Handle(w) \/ SendCopy(w) \/ SendDead(w) \/ SendRefused(w) \/ Acknowledge(w) \/ Kill(w)
    \/ ArriveLate \/ LeaseEnds \/ RetryIsDue \/ Forget \/ Redrive \/ Rest

Spec == Init /\ [][Next]_vars

----------------------------------------------------------------------------
(* Promises, as the README words them *)

\* Every effect happens exactly once: never twice …
NeverTwice == made <= 1

\* … and not less than once, when the request is complete.
NeverLess == token.status = "complete" => made = 1

\* No message is lost: one that ended nowhere is on a queue. An act that is due, runs or was given up is in the list of the sweeper.
NothingLost ==
    queue = {} /\ dead = {} =>
        \/ token.status = "complete"
        \/ token.status = "none" /\ made = 1
        \/ token.status = "ending"
        \/ token.status = "error" /\ (token.untold \/ (token.final /\ token.death \in told))

\* No attempt begins beyond the number of attempts.
WithinBudget == begun.attempts <= MaxAttempts

\* An attempt whose claim another has taken, or that has ended, writes nothing.
LateWritesNothing == kept.fence

\* Nobody takes a claim whose lease is live, and no retry begins before its time.
Exclusive == kept.lease
InTime == kept.due

\* onFailure makes its effect once for each death; nothing of a request runs after its final death.
ToldOnce == kept.told
FinalForGood == token.final => token.status \in {"ending", "error"}

\* A claim goes on with the payload with which the request began, and a letter reopens only the death of which it tells.
OnePayload == kept.payload
OwnDeath == kept.asked

\* An attempt to whose claim the answer was lost knows the claim as its own: it does not wait until its own lease is over.
KnowsItsClaim == kept.own

----------------------------------------------------------------------------
(* Why a condition decides nothing *)

\* What refuses a write of the attempt that has the claim is this very write.
RefusedIsMade ==
    \A w \in Workers :
        LET me == worker[w] IN
        me.pc \in Owned /\ me.id = token.owner /\ ~Holds(token, me) => IsMade(token, me)
=============================================================================
