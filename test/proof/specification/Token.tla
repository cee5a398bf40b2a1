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
    MaxAttempts, \* in one life of the request
    MaxIds,      \* attempts in all; a search ends there
    MaxFaults,   \* kills, lost answers, leases that end under a live worker, deliveries after an acknowledgement
    Off          \* protections that are switched off, to see that each is needed

VARIABLES token, queue, acknowledged, dead, worker, late, ids, faults, made, begun

vars == <<token, queue, acknowledged, dead, worker, late, ids, faults, made, begun>>

----------------------------------------------------------------------------
(* Data *)

NoToken == [status |-> "none", owner |-> 0, attempt |-> 0, lease |-> "none", waits |-> FALSE,
            resend |-> 0, confirmed |-> FALSE, death |-> 0, marked |-> FALSE]

\* A message: the original has retry 0; a copy for a retry has its number; a dead letter has the number of its death. `by` is the
\* attempt that sent it: two messages may say the same.
Original(form) == [form |-> form, retry |-> 0, death |-> 0, letter |-> FALSE, by |-> 0]

Idle == [pc |-> "idle", id |-> 0, message |-> Original("good"), seen |-> NoToken]

Claims == {"start", "takeOver", "reopen", "deadLetter"}
Owned  == {"effect", "settle", "resend", "confirm", "dying", "bury"}

Init ==
    /\ token = NoToken
    /\ queue = {Original(form) : form \in Forms}
    /\ acknowledged = {} /\ dead = {} /\ late = {}
    /\ worker = [w \in Workers |-> Idle]
    /\ ids = 0 /\ faults = 0 /\ made = 0 /\ begun = [life |-> 0, attempts |-> 0]

----------------------------------------------------------------------------
(* The decision -> decideClaim *)

WasClaimed(m) == m.retry > 0 \/ m.death > 0

IsReplaced(t, m) ==
    /\ ~m.letter
    /\ t.lease = "none"
    /\ t.confirmed \/ "confirmed" \in Off
    /\ m.retry < t.resend

Unfinished(t, m) ==
    IF t.lease = "live" THEN "held"
    ELSE IF IsReplaced(t, m) THEN "replaced"
    ELSE IF m.form = "invalid" THEN "deadLetter"
    ELSE IF t.waits THEN "early"
    ELSE IF t.attempt >= MaxAttempts /\ "budget" \notin Off THEN "deadLetter"
    ELSE "takeOver"

Verdict(t, m, id) ==
    IF t.status = "none" THEN
        IF m.form = "invalid" THEN "refuse"
        ELSE IF WasClaimed(m) THEN "lost"
        ELSE "start"
    ELSE IF t.owner = id /\ t.status = "inProgress" THEN "mine"
    ELSE IF m.form = "other" /\ t.status # "none" THEN "conflict"
    ELSE IF t.status = "error" /\ m.letter /\ (m.death = t.death \/ "death" \in Off) THEN
        IF m.form = "invalid" THEN "refuse" ELSE "reopen"
    ELSE CASE t.status = "complete" -> IF "memory" \in Off THEN "start" ELSE "over"
           [] t.status = "error" -> "over"
           [] t.status = "dying" -> IF t.lease = "live" /\ t.owner # id THEN "held" ELSE "deadLetter"
           [] t.status = "inProgress" -> Unfinished(t, m)

(* Outside this module: `park` is for keys, which have no message (test/call/takeOver.test.ts). *)

----------------------------------------------------------------------------
(* Writes: each is conditional, and returns the item that refused it *)

\* -> asJudged: the token is unchanged since the verdict.
Judged(t, seen) ==
    \/ "judged" \in Off
    \/ t.owner = seen.owner /\ t.status = seen.status /\ t.lease = seen.lease

\* -> ownedBy: the fence.
Fenced(t, id, status) == "fence" \in Off \/ (t.owner = id /\ t.status = status)

Holds(t, w) ==
    IF w.pc \in Claims THEN Judged(t, w.seen)
    ELSE Fenced(t, w.id, IF w.pc = "bury" THEN "dying" ELSE "inProgress")

Written(t, w) ==
    CASE w.pc = "start" -> [NoToken EXCEPT !.status = "inProgress", !.owner = w.id, !.attempt = 1, !.lease = "live",
                                           !.death = t.death]                                 \* -> newToken, restart
      [] w.pc = "takeOver" -> [t EXCEPT !.owner = w.id, !.attempt = w.seen.attempt + 1,
                                        !.lease = "live", !.waits = FALSE]                    \* -> takeOver
      [] w.pc = "reopen" -> [t EXCEPT !.status = "inProgress", !.owner = w.id, !.attempt = 1, !.lease = "live",
                                      !.waits = FALSE, !.resend = 0, !.confirmed = FALSE]     \* -> reopen
      [] w.pc = "deadLetter" -> [t EXCEPT !.status = "dying", !.owner = w.id, !.lease = "live",
                                          !.death = IF t.status = "dying" THEN t.death ELSE w.seen.death + 1]
                                                                                              \* -> takeOverToDeadLetter
      [] w.pc = "effect" -> [t EXCEPT !.marked = TRUE]                                        \* -> addEffect
      [] w.pc = "settle" -> [t EXCEPT !.status = "complete", !.lease = "none"]                \* -> complete
      [] w.pc = "resend" -> [t EXCEPT !.lease = "none", !.waits = TRUE, !.confirmed = FALSE,
                                      !.resend = w.seen.resend + 1]                           \* -> scheduleResend
      [] w.pc = "confirm" -> [t EXCEPT !.confirmed = TRUE]                                    \* -> confirmResend
      [] w.pc = "dying" -> [t EXCEPT !.status = "dying", !.death = w.seen.death + 1]          \* -> startDeadLettering
      [] w.pc = "bury" -> [t EXCEPT !.status = "error", !.lease = "none", !.waits = FALSE,
                                    !.resend = 0, !.confirmed = FALSE]                        \* -> finishDeadLettering

Apply(w) ==
    /\ token' = Written(token, w)
    /\ made' = IF w.pc = "effect" /\ (~token.marked \/ "mark" \in Off) THEN made + 1 ELSE made

\* -> wasWritten, marksOf: a write whose answer was lost is known by the item that refuses it when it is made again.
WasWritten(t, w) ==
    /\ t.owner = w.id
    /\ CASE w.pc = "effect" -> t.marked /\ t.status = "inProgress"
         [] w.pc = "settle" -> t.status = "complete"
         [] w.pc = "dying" -> t.status = "dying"
         [] w.pc = "bury" -> t.status = "error"
         [] OTHER -> FALSE

Next_(pc) ==
    CASE pc \in {"start", "takeOver", "reopen"} -> "run"
      [] pc = "deadLetter" -> "sendDead"
      [] pc = "effect" -> "made"
      [] pc = "settle" -> "acknowledge"
      [] pc = "resend" -> "sendCopy"
      [] pc = "confirm" -> "acknowledge"
      [] pc = "dying" -> "sendDead"
      [] pc = "bury" -> "acknowledge"

----------------------------------------------------------------------------
(* A worker *)

Become(w, state) == worker' = [worker EXCEPT ![w] = state]
Goes(w, pc) == Become(w, [worker[w] EXCEPT !.pc = pc])

\* Each death of a request ends a life: a redrive begins the next one.
Begin(t) ==
    IF begun.life = t.death THEN [begun EXCEPT !.attempts = begun.attempts + 1]
    ELSE [life |-> t.death, attempts |-> 1]

Receive(w) ==
    /\ worker[w].pc = "idle"
    /\ \E m \in queue : Become(w, [Idle EXCEPT !.pc = "decide", !.message = m])
    /\ UNCHANGED <<token, queue, acknowledged, dead, late, ids, faults, made, begun>>

\* SQS may deliver a message once more after it was deleted.
ReceiveAgain(w) ==
    /\ worker[w].pc = "idle" /\ faults < MaxFaults
    /\ \E m \in acknowledged : Become(w, [Idle EXCEPT !.pc = "decide", !.message = m])
    /\ faults' = faults + 1
    /\ UNCHANGED <<token, queue, acknowledged, dead, late, ids, made, begun>>

Decide(w) ==
    LET me == worker[w]
        verdict == Verdict(token, me.message, me.id)
        id == IF me.id = 0 THEN ids + 1 ELSE me.id
    IN  /\ me.pc = "decide"
        /\ CASE verdict \in Claims ->
                  /\ id <= MaxIds
                  /\ ids' = IF me.id = 0 THEN id ELSE ids
                  /\ Become(w, [me EXCEPT !.pc = verdict, !.id = id, !.seen = token])
             [] verdict = "mine" -> Become(w, [me EXCEPT !.pc = "run", !.seen = token]) /\ ids' = ids
             [] verdict \in {"over", "replaced"} -> Goes(w, "acknowledge") /\ ids' = ids
             [] verdict \in {"refuse", "lost", "conflict"} -> Goes(w, "sendRefused") /\ ids' = ids
             [] verdict \in {"held", "early"} -> Become(w, Idle) /\ ids' = ids
        /\ begun' = IF verdict = "mine" THEN Begin(token) ELSE begun
        /\ UNCHANGED <<token, queue, acknowledged, dead, late, faults, made>>

\* What the worker is told of its write.
Told(w) ==
    LET me == worker[w] IN
        IF Holds(token, me) THEN
            /\ Apply(me)
            /\ Become(w, [me EXCEPT !.pc = Next_(me.pc), !.seen = IF me.pc \in Claims THEN token' ELSE me.seen])
            /\ begun' = IF me.pc \in {"start", "takeOver", "reopen"} THEN Begin(token') ELSE begun
        ELSE
            /\ UNCHANGED <<token, made, begun>>
            /\ IF me.pc \in Claims THEN Goes(w, "decide")
               ELSE IF WasWritten(token, me) THEN Goes(w, Next_(me.pc))
               ELSE IF me.pc = "confirm" THEN Goes(w, "acknowledge")
               ELSE Become(w, Idle)

Write(w) ==
    /\ worker[w].pc \in Claims \cup Owned
    /\ Told(w)
    /\ UNCHANGED <<queue, acknowledged, dead, late, ids, faults>>

\* The answer is lost: the SDK makes the write again.
WriteUnanswered(w) ==
    /\ worker[w].pc \in Claims \cup Owned
    /\ faults < MaxFaults /\ faults' = faults + 1
    /\ Holds(token, worker[w]) /\ Apply(worker[w])
    /\ UNCHANGED <<queue, acknowledged, dead, worker, late, ids, begun>>

Handle(w) ==
    /\ worker[w].pc = "run"
    /\ \/ Goes(w, "effect")
       \/ Goes(w, IF worker[w].seen.attempt < MaxAttempts THEN "resend" ELSE "dying")
    /\ UNCHANGED <<token, queue, acknowledged, dead, late, ids, faults, made, begun>>

\* After its effect the handler returns, or throws.
HandleOn(w) ==
    /\ worker[w].pc = "made"
    /\ \/ Goes(w, "settle")
       \/ Goes(w, IF worker[w].seen.attempt < MaxAttempts THEN "resend" ELSE "dying")
    /\ UNCHANGED <<token, queue, acknowledged, dead, late, ids, faults, made, begun>>

SendCopy(w) ==
    LET me == worker[w] IN
    /\ me.pc = "sendCopy"
    /\ queue' = queue \cup {[form |-> me.message.form, retry |-> me.seen.resend + 1, death |-> 0, letter |-> FALSE, by |-> me.id]}
    /\ Goes(w, "confirm")
    /\ UNCHANGED <<token, acknowledged, dead, late, ids, faults, made, begun>>

SendDead(w) ==
    LET me == worker[w] IN
    /\ me.pc = "sendDead"
    /\ dead' = dead \cup {[form |-> me.message.form, retry |-> 0, letter |-> TRUE, by |-> me.id,
                           death |-> IF me.seen.status = "dying" THEN me.seen.death ELSE me.seen.death + 1]}
    /\ Goes(w, "bury")
    /\ UNCHANGED <<token, queue, acknowledged, late, ids, faults, made, begun>>

SendRefused(w) ==
    /\ worker[w].pc = "sendRefused"
    /\ ids < MaxIds /\ ids' = ids + 1
    /\ dead' = dead \cup {[worker[w].message EXCEPT !.letter = TRUE, !.by = ids + 1]}
    /\ Goes(w, "acknowledge")
    /\ UNCHANGED <<token, queue, acknowledged, late, faults, made, begun>>

Acknowledge(w) ==
    /\ worker[w].pc = "acknowledge"
    /\ queue' = queue \ {worker[w].message}
    /\ acknowledged' = acknowledged \cup {worker[w].message}
    /\ Become(w, Idle)
    /\ UNCHANGED <<token, dead, late, ids, faults, made, begun>>

----------------------------------------------------------------------------
(* Around the workers *)

\* A worker dies; a write that is on its way may still arrive, whenever it likes.
Kill(w) ==
    /\ worker[w].pc # "idle" /\ faults < MaxFaults /\ faults' = faults + 1
    /\ late' \in {late} \cup (IF worker[w].pc \in Claims \cup Owned THEN {late \cup {worker[w]}} ELSE {})
    /\ Become(w, Idle)
    /\ UNCHANGED <<token, queue, acknowledged, dead, ids, made, begun>>

ArriveLate ==
    \E one \in late :
        /\ late' = late \ {one}
        /\ IF Holds(token, one) THEN Apply(one) ELSE UNCHANGED <<token, made>>
        /\ UNCHANGED <<queue, acknowledged, dead, worker, ids, faults, begun>>

IsAlive == \E w \in Workers : worker[w].id = token.owner /\ worker[w].pc # "idle"

\* A lease ends under a live worker only as a fault: Lambda was late, or runs on.
LeaseEnds ==
    /\ token.lease = "live"
    /\ token' = [token EXCEPT !.lease = "over"]
    /\ IF IsAlive THEN faults < MaxFaults /\ faults' = faults + 1 ELSE faults' = faults
    /\ UNCHANGED <<queue, acknowledged, dead, worker, late, ids, made, begun>>

RetryIsDue ==
    /\ token.waits /\ token' = [token EXCEPT !.waits = FALSE]
    /\ UNCHANGED <<queue, acknowledged, dead, worker, late, ids, faults, made, begun>>

\* An operator puts a dead letter back.
Redrive ==
    \E letter \in dead :
        /\ dead' = dead \ {letter} /\ queue' = queue \cup {letter}
        /\ UNCHANGED <<token, acknowledged, worker, late, ids, faults, made, begun>>

Rest ==
    /\ \/ ids = MaxIds
       \/ queue = {} /\ dead = {} /\ \A w \in Workers : worker[w].pc = "idle"
    /\ UNCHANGED vars

Next ==
    \/ \E w \in Workers :
        \/ Receive(w) \/ ReceiveAgain(w) \/ Decide(w) \/ Write(w) \/ WriteUnanswered(w)
        \/ Handle(w) \/ HandleOn(w) \/ SendCopy(w) \/ SendDead(w) \/ SendRefused(w) \/ Acknowledge(w) \/ Kill(w)
    \/ ArriveLate \/ LeaseEnds \/ RetryIsDue \/ Redrive \/ Rest

Spec == Init /\ [][Next]_vars

----------------------------------------------------------------------------
(* Promises, as the README words them *)

\* Every effect happens exactly once: never twice …
NeverTwice == made <= 1

\* … and not less than once, when the request is complete.
NeverLess == token.status = "complete" => made = 1

\* No message is lost: one that ended nowhere is on a queue.
NothingLost == queue = {} /\ dead = {} => token.status = "complete"

\* No attempt begins beyond the number of attempts.
WithinBudget == begun.attempts <= MaxAttempts
=============================================================================
