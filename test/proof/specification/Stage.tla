------------------------------- MODULE Stage -------------------------------
(***************************************************************************)
(* The stage record of one key of a flow with process "newest": requests     *)
(* 1, 2, … (a higher number is newer), each of which has to pass two       *)
(* stages. One request has the key at a time; the key is free again only   *)
(* after the last effect. src/library/protocol/claim/stage has the code; a word after "->"  *)
(* is the function that stands for it. Retries are those of Token.         *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets

CONSTANTS
    Workers,
    Requests,    \* such as 1..2
    OnConflict,  \* "defer", "drop", "supersede" or "coalesce"
    MaxAttempts, \* of a stage
    MaxIds,      \* attempts in all; a search ends there
    MaxFaults,   \* kills, lost answers, leases that end under a live worker, deliveries after an acknowledgement
    Off          \* protections that are switched off, to see that each is needed

VARIABLES record, deadRuns, queue, acknowledged, letters, worker, late, ids, faults, made, newestMade, freed

vars == <<record, deadRuns, queue, acknowledged, letters, worker, late, ids, faults, made, newestMade, freed>>

----------------------------------------------------------------------------
(* Data *)

Stages == {"first", "last"}
Other(stage) == IF stage = "first" THEN "last" ELSE "first"
Never == 0

NoEntry == [status |-> "none", owner |-> Never, attempt |-> 0, lease |-> "none", death |-> 0]

Fresh == [run |-> Never, epoch |-> 0, fence |-> 0, newest |-> Never, waiting |-> Never, dropped |-> {},
          entry |-> [s \in Stages |-> NoEntry], marks |-> {}, reopened |-> FALSE]

\* A message of the first stage has no epoch of a run; that of the last stage has the epoch of the run that sent it. `by` is the
\* attempt that sent it: two messages may say the same.
Asks(request) == [request |-> request, stage |-> "first", epoch |-> 0, death |-> 0, by |-> 0]

NoRun == [epoch |-> 0, entry |-> [s \in Stages |-> NoEntry], marks |-> {}]

Idle == [pc |-> "idle", id |-> Never, message |-> Asks(1), seen |-> Fresh, epoch |-> 0, attempt |-> 0, death |-> 0]

Claims == {"start", "begin", "takeOver", "deadLetter", "reopen", "revive"}
Owned  == {"effect", "settle", "dying", "bury"}
Noted  == {"drop", "wait"}

Init ==
    /\ record = Fresh
    /\ deadRuns = [r \in Requests |-> NoRun]
    /\ queue = {Asks(r) : r \in Requests}
    /\ acknowledged = {} /\ letters = {} /\ late = {}
    /\ worker = [w \in Workers |-> Idle]
    /\ ids = 0 /\ faults = 0
    /\ made = [r \in Requests |-> [s \in Stages |-> 0]]
    /\ newestMade = Never
    /\ freed = TRUE

----------------------------------------------------------------------------
(* The decision *)

\* -> decideEntry
EntryVerdict(e, m, id) ==
    CASE e.status = "none" -> "begin"
      [] e.status = "settled" -> "over"
      [] e.status = "dead" -> IF m.death > 0 /\ m.death = e.death THEN "revive" ELSE "over"
      [] e.status = "dying" ->
            IF e.owner = id THEN "deadLettering" ELSE IF e.lease = "live" THEN "held" ELSE "deadLetter"
      [] e.status = "open" ->
            IF e.owner = id THEN "mine"
            ELSE IF e.lease = "live" THEN "held"
            ELSE IF e.attempt >= MaxAttempts THEN "deadLetter"
            ELSE "takeOver"

\* -> decideRedrive: a dead run goes on only while nothing newer has started.
RedriveVerdict(r, m) ==
    IF deadRuns[m.request].epoch # m.death THEN "over"
    ELSE IF r.newest > m.request /\ "newest" \notin Off THEN "over"
    ELSE IF r.run # Never THEN "busy"
    ELSE "reopen"

\* -> decideConflict
ConflictVerdict(r, m) ==
    CASE OnConflict = "supersede" -> "start"
      [] OnConflict = "defer" -> "busy"
      [] OnConflict = "drop" -> "drop"
      [] OnConflict = "coalesce" -> IF m.request < r.waiting THEN "over" ELSE IF m.request = r.waiting THEN "busy" ELSE "wait"

\* -> decideStart
StartVerdict(r, m, id) ==
    IF r.run = m.request THEN EntryVerdict(r.entry["first"], m, id)
    ELSE IF m.death > 0 THEN RedriveVerdict(r, m)
    ELSE IF m.request <= r.newest /\ "newest" \notin Off THEN "over"
    ELSE IF m.request \in r.dropped /\ "dropped" \notin Off THEN "over"
    ELSE IF r.run # Never THEN ConflictVerdict(r, m)
    ELSE IF OnConflict = "coalesce" /\ m.request < r.waiting THEN "over"
    ELSE "start"

\* -> decideStage, decideStale
StageVerdict(r, m, id) ==
    IF r.run = m.request THEN
        IF m.death > 0 \/ r.reopened \/ r.epoch = m.epoch THEN EntryVerdict(r.entry["last"], m, id) ELSE "over"
    ELSE IF m.death > 0 THEN RedriveVerdict(r, m)
    ELSE IF deadRuns[m.request].epoch = 0 THEN "over"
    ELSE IF deadRuns[m.request].entry["last"].status = "none" THEN "abandonedMessage"
    ELSE "over"

Verdict(r, m, id) == IF m.stage = "first" THEN StartVerdict(r, m, id) ELSE StageVerdict(r, m, id)

(* Outside this module, in the models of the shipped code (test/proof/model/stage): `early` and `replaced` are those of Token; *)
(* `refuse` runs nothing; `lookUp` reads what left the record; `abandonRun` ends a run that is out of time.                     *)

----------------------------------------------------------------------------
(* Writes *)

\* -> unchanged, sameFence: the record is as it was judged.
Judged(r, seen, stage) ==
    \/ "judged" \in Off
    \/ r.fence = seen.fence /\ r.epoch = seen.epoch /\ r.run = seen.run /\ r.entry[stage] = seen.entry[stage]

\* -> sameRun, stageOwnedBy: the fence.
Fenced(r, w, status) ==
    \/ "fence" \in Off /\ r.run # Never
    \/ /\ r.run = w.message.request /\ r.epoch = w.epoch
       /\ r.entry[w.message.stage].owner = w.id /\ r.entry[w.message.stage].status = status

Holds(r, w) ==
    CASE w.pc \in Claims -> Judged(r, w.seen, w.message.stage)
      [] w.pc \in Noted -> r.epoch = w.seen.epoch /\ r.run # Never /\ r.waiting = w.seen.waiting
      [] w.pc \in Owned -> Fenced(r, w, IF w.pc = "bury" THEN "dying" ELSE "open")

Opened(w, attempt) == [NoEntry EXCEPT !.status = "open", !.owner = w.id, !.attempt = attempt, !.lease = "live"]

Free(r) == [r EXCEPT !.run = Never, !.epoch = r.epoch + 1, !.entry = [s \in Stages |-> NoEntry], !.marks = {},
                     !.reopened = FALSE]

IsOpen(e) == e.status \in {"open", "dying"}

\* -> endRun, endStage: the last open stage ends the run with it. The key is free when all have settled, or one is dead.
Left(r, stage, ends) ==
    LET after == [r EXCEPT !.entry[stage] = ends]
        all == {after.entry[s].status : s \in Stages}
    IN  IF "early reset" \in Off /\ stage = "first" THEN Free(after)
        ELSE IF all = {"settled"} THEN Free(after)
        ELSE IF "dead" \in all /\ ~IsOpen(after.entry[Other(stage)]) THEN Free(after)
        ELSE after

Written(r, w) ==
    LET m == w.message IN
    CASE w.pc = "start" ->
            [Fresh EXCEPT !.run = m.request, !.epoch = r.epoch + 1, !.fence = r.fence + 1,
                          !.newest = IF r.newest > m.request THEN r.newest ELSE m.request,
                          !.waiting = IF r.waiting > m.request THEN r.waiting ELSE Never,
                          !.dropped = r.dropped, !.entry["first"] = Opened(w, 1)]
      [] w.pc \in {"begin", "revive"} -> [r EXCEPT !.fence = r.fence + 1, !.entry[m.stage] = Opened(w, 1)]
      [] w.pc = "takeOver" ->
            [r EXCEPT !.fence = r.fence + 1, !.entry[m.stage] = Opened(w, w.seen.entry[m.stage].attempt + 1)]
      [] w.pc = "deadLetter" ->
            [r EXCEPT !.fence = r.fence + 1, !.entry[m.stage] = [Opened(w, MaxAttempts) EXCEPT !.status = "dying"]]
      [] w.pc = "reopen" ->
            [r EXCEPT !.run = m.request, !.epoch = r.epoch + 1, !.fence = r.fence + 1, !.reopened = TRUE,
                      !.marks = IF "restored" \in Off THEN {} ELSE deadRuns[m.request].marks,
                      !.entry = [deadRuns[m.request].entry EXCEPT ![m.stage] = Opened(w, 1)]]
      [] w.pc = "effect" -> [r EXCEPT !.marks = @ \cup {m.stage}]
      [] w.pc = "settle" -> Left(r, m.stage, [NoEntry EXCEPT !.status = "settled"])
      [] w.pc = "dying" -> [r EXCEPT !.entry[m.stage].status = "dying"]
      [] w.pc = "bury" -> Left(r, m.stage, [NoEntry EXCEPT !.status = "dead", !.death = r.epoch])
      [] w.pc = "drop" -> [r EXCEPT !.dropped = @ \cup {m.request}]
      [] w.pc = "wait" -> [r EXCEPT !.waiting = m.request]

Apply(w) ==
    LET m == w.message
        happens == w.pc = "effect" /\ (m.stage \notin record.marks \/ "mark" \in Off)
        ends == w.pc \in {"settle", "bury"} /\ record.run # Never /\ record'.run = Never
        entries == [record.entry EXCEPT ![m.stage] =
                       IF w.pc = "bury" THEN [NoEntry EXCEPT !.status = "dead", !.death = record.epoch]
                       ELSE [NoEntry EXCEPT !.status = "settled"]]
    IN  /\ record' = Written(record, w)
        /\ made' = IF happens THEN [made EXCEPT ![m.request][m.stage] = @ + 1] ELSE made
        /\ newestMade' = IF happens /\ m.request > newestMade THEN m.request ELSE newestMade
        /\ deadRuns' = IF ends /\ \E s \in Stages : entries[s].status = "dead"
                       THEN [deadRuns EXCEPT ![m.request] = [epoch |-> record.epoch, entry |-> entries, marks |-> record.marks]]
                       ELSE IF w.pc = "reopen" THEN [deadRuns EXCEPT ![m.request] = NoRun]
                       ELSE deadRuns
        \* Whether every key was free only after its last effect, and no older request wrote after a newer one.
        /\ freed' = /\ freed
                    /\ ends => \A s \in Stages : entries[s].status = "settled" => made[m.request][s] > 0
                    /\ ends => \E s \in Stages : entries[s].status = "dead" \/ entries["last"].status = "settled"
                    /\ happens => m.request >= newestMade

WasWritten(r, w) ==
    LET e == r.entry[w.message.stage] IN
    CASE w.pc = "effect" -> e.owner = w.id /\ w.message.stage \in r.marks /\ r.epoch = w.epoch
      [] w.pc = "dying" -> e.owner = w.id /\ e.status = "dying" /\ r.epoch = w.epoch
      [] OTHER -> FALSE

After(pc) ==
    CASE pc \in {"start", "begin", "takeOver", "reopen", "revive"} -> "run"
      [] pc = "deadLetter" -> "sendDead"
      [] pc = "effect" -> "made"
      [] pc = "settle" -> "acknowledge"
      [] pc = "dying" -> "sendDead"
      [] pc = "bury" -> "acknowledge"
      [] pc = "drop" -> "acknowledge"
      [] pc = "wait" -> "idle"

----------------------------------------------------------------------------
(* A worker *)

Become(w, state) == worker' = [worker EXCEPT ![w] = state]
Goes(w, pc) == Become(w, [worker[w] EXCEPT !.pc = pc])
SameRecord == UNCHANGED <<record, deadRuns, made, newestMade, freed>>

Receive(w) ==
    /\ worker[w].pc = "idle"
    /\ \/ \E m \in queue : Become(w, [Idle EXCEPT !.pc = "decide", !.message = m]) /\ faults' = faults
       \/ /\ faults < MaxFaults /\ faults' = faults + 1
          /\ \E m \in acknowledged : Become(w, [Idle EXCEPT !.pc = "decide", !.message = m])
    /\ SameRecord /\ UNCHANGED <<queue, acknowledged, letters, late, ids>>

Decide(w) ==
    LET me == worker[w]
        verdict == Verdict(record, me.message, me.id)
        id == IF me.id = Never THEN ids + 1 ELSE me.id
        held == [me EXCEPT !.seen = record, !.epoch = record.epoch, !.attempt = record.entry[me.message.stage].attempt]
    IN  /\ me.pc = "decide"
        /\ IF verdict \in Claims THEN id <= MaxIds /\ ids' = (IF me.id = Never THEN id ELSE ids) ELSE ids' = ids
        /\ CASE verdict \in Claims \cup Noted -> Become(w, [me EXCEPT !.pc = verdict, !.id = id, !.seen = record])
             [] verdict = "mine" -> Become(w, [held EXCEPT !.pc = "run"])
             [] verdict = "deadLettering" -> Become(w, [held EXCEPT !.pc = "sendDead"])
             [] verdict = "over" -> Goes(w, "acknowledge")
             [] verdict = "abandonedMessage" ->
                    Become(w, [me EXCEPT !.pc = "sendAbandoned", !.death = deadRuns[me.message.request].epoch])
             [] verdict \in {"held", "busy"} -> Become(w, Idle)
        /\ SameRecord /\ UNCHANGED <<queue, acknowledged, letters, late, faults>>

Write(w) ==
    LET me == worker[w] IN
    /\ me.pc \in Claims \cup Owned \cup Noted
    /\ IF Holds(record, me) THEN
           /\ Apply(me)
           /\ IF After(me.pc) = "idle" THEN Become(w, Idle)
              ELSE Become(w, [me EXCEPT !.pc = After(me.pc),
                                        !.epoch = IF me.pc \in Claims THEN record'.epoch ELSE me.epoch,
                                        !.attempt = IF me.pc \in Claims THEN record'.entry[me.message.stage].attempt
                                                    ELSE me.attempt])
       ELSE
           /\ SameRecord
           /\ IF me.pc \in Claims \cup Noted THEN Goes(w, "decide")
              ELSE IF WasWritten(record, me) THEN Goes(w, After(me.pc))
              ELSE Become(w, Idle)
    /\ UNCHANGED <<queue, acknowledged, letters, late, ids, faults>>

\* The answer is lost: the SDK makes the write again.
WriteUnanswered(w) ==
    /\ worker[w].pc \in Claims \cup Owned
    /\ faults < MaxFaults /\ faults' = faults + 1
    /\ Holds(record, worker[w]) /\ Apply(worker[w])
    /\ UNCHANGED <<queue, acknowledged, letters, worker, late, ids>>

\* The handler makes its effect and hands over to the next stage; or it fails: the message comes again, or dies.
Handle(w) ==
    LET me == worker[w] IN
    /\ me.pc \in {"run", "made"}
    /\ \/ me.pc = "run" /\ Goes(w, "effect")
       \/ me.pc = "made" /\ Goes(w, IF me.message.stage = "first" THEN "handOver" ELSE "settle")
       \/ me.attempt >= MaxAttempts /\ Goes(w, "dying")
    /\ SameRecord /\ UNCHANGED <<queue, acknowledged, letters, late, ids, faults>>

HandOver(w) ==
    /\ worker[w].pc = "handOver"
    /\ queue' = queue \cup {[request |-> worker[w].message.request, stage |-> "last", epoch |-> worker[w].epoch, death |-> 0,
                              by |-> worker[w].id]}
    /\ Goes(w, "settle")
    /\ SameRecord /\ UNCHANGED <<acknowledged, letters, late, ids, faults>>

SendDead(w) ==
    LET me == worker[w] IN
    /\ me.pc \in {"sendDead", "sendAbandoned"}
    /\ IF me.id = Never THEN ids < MaxIds /\ ids' = ids + 1 ELSE ids' = ids
    /\ letters' = letters \cup {[me.message EXCEPT !.death = IF me.pc = "sendDead" THEN me.epoch ELSE me.death,
                                                   !.by = IF me.id = Never THEN ids + 1 ELSE me.id]}
    /\ Goes(w, IF me.pc = "sendDead" THEN "bury" ELSE "acknowledge")
    /\ SameRecord /\ UNCHANGED <<queue, acknowledged, late, faults>>

Acknowledge(w) ==
    /\ worker[w].pc = "acknowledge"
    /\ queue' = queue \ {worker[w].message}
    /\ acknowledged' = acknowledged \cup {worker[w].message}
    /\ Become(w, Idle)
    /\ SameRecord /\ UNCHANGED <<letters, late, ids, faults>>

----------------------------------------------------------------------------
(* Around the workers *)

Kill(w) ==
    /\ worker[w].pc # "idle" /\ faults < MaxFaults /\ faults' = faults + 1
    /\ late' \in {late} \cup (IF worker[w].pc \in Claims \cup Owned THEN {late \cup {worker[w]}} ELSE {})
    /\ Become(w, Idle)
    /\ SameRecord /\ UNCHANGED <<queue, acknowledged, letters, ids>>

ArriveLate ==
    \E one \in late :
        /\ late' = late \ {one}
        /\ IF Holds(record, one) THEN Apply(one) ELSE SameRecord
        /\ UNCHANGED <<queue, acknowledged, letters, worker, ids, faults>>

LeaseEnds ==
    \E s \in Stages :
        LET e == record.entry[s]
            isAlive == \E w \in Workers : worker[w].id = e.owner /\ worker[w].pc # "idle"
        IN  /\ e.lease = "live"
            /\ record' = [record EXCEPT !.entry[s].lease = "over"]
            /\ IF isAlive THEN faults < MaxFaults /\ faults' = faults + 1 ELSE faults' = faults
            /\ UNCHANGED <<deadRuns, queue, acknowledged, letters, worker, late, ids, made, newestMade, freed>>

\* An operator puts a dead letter back.
Redrive ==
    \E letter \in letters :
        /\ letters' = letters \ {letter} /\ queue' = queue \cup {letter}
        /\ SameRecord /\ UNCHANGED <<acknowledged, worker, late, ids, faults>>

Rest ==
    /\ \/ ids = MaxIds
       \/ queue = {} /\ letters = {} /\ \A w \in Workers : worker[w].pc = "idle"
    /\ UNCHANGED vars

Next ==
    \/ \E w \in Workers :
        \/ Receive(w) \/ Decide(w) \/ Write(w) \/ WriteUnanswered(w)
        \/ Handle(w) \/ HandOver(w) \/ SendDead(w) \/ Acknowledge(w) \/ Kill(w)
    \/ ArriveLate \/ LeaseEnds \/ Redrive \/ Rest

Spec == Init /\ [][Next]_vars

----------------------------------------------------------------------------
(* Promises, as the README words them *)

\* Every effect happens exactly once.
NeverTwice == \A r \in Requests : \A s \in Stages : made[r][s] <= 1

\* The key is free only after the last effect, and nothing old is written over something newer.
FreeAtTheEnd == freed

Waits(r) == \E m \in queue \cup letters : m.request = r

\* Who was refused does not run later.
DroppedForGood == \A r \in record.dropped : \A s \in Stages : made[r][s] = 0

\* No message is lost: a request that nothing newer has replaced is on a queue until both effects are made, or was dropped on purpose.
NothingLost ==
    \A r \in Requests :
        \/ Waits(r)
        \/ \A s \in Stages : made[r][s] = 1
        \/ r < record.newest
        \/ r < record.waiting
        \/ r \in record.dropped
=============================================================================
