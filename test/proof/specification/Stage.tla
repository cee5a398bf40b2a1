------------------------------- MODULE Stage -------------------------------
(***************************************************************************)
(* The stage record of one key of a flow with process "newest": requests   *)
(* 1, 2, … (a higher number is newer), each of which has to pass the first *)
(* stage and those behind it, which run side by side. One request has the  *)
(* key at a time; the key is free again only after the last effect.        *)
(* src/library/protocol/claim/stage has the code; a word after "->" is the *)
(* function that stands for it. Retries are those of Token.                *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets

CONSTANTS
    Workers,
    Requests,    \* such as 1..2
    Behind,      \* the stages to which the first one hands over: "last", or "last" and "side"
    OnConflict,  \* "defer", "drop", "supersede" or "coalesce"
    MaxAttempts, \* of a stage
    MaxIds,      \* attempts in all; a search ends there
    MaxFaults,   \* kills, slow writes, leases that end under a live worker, deliveries after an acknowledgement, resets
    Reports      \* whether the flow has a failure handler: a bad end writes what the run has made, in one transaction

\* `holder`, `made`, `newestMade` and `kept` are in no table: they count what the promises speak of.
VARIABLES record, deadRuns, queue, acknowledged, letters, worker, late, ids, faults, holder, made, newestMade, kept

vars == <<record, deadRuns, queue, acknowledged, letters, worker, late, ids, faults, holder, made, newestMade, kept>>

----------------------------------------------------------------------------
(* Data *)

Stages == {"first"} \cup Behind
Never == 0

NoEntry == [status |-> "none", owner |-> Never, attempt |-> 0, lease |-> "none", death |-> 0]

NoEnd == [request |-> Never, as |-> "none"]

Fresh == [run |-> Never, epoch |-> 0, fence |-> 0, newest |-> Never, waiting |-> Never, dropped |-> {}, last |-> NoEnd,
          entry |-> [s \in Stages |-> NoEntry], marks |-> {}, reopened |-> FALSE]

\* A message of the first stage has no epoch of a run; that of a later stage has the epoch of the run that sent it. `by` is the
\* attempt that sent it: two messages may say the same.
Asks(request) == [request |-> request, stage |-> "first", epoch |-> 0, death |-> 0, by |-> 0]

NoRun == [epoch |-> 0, entry |-> [s \in Stages |-> NoEntry], marks |-> {}]

Idle == [pc |-> "idle", id |-> Never, message |-> Asks(1), seen |-> Fresh, death |-> 0]

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
    /\ holder = [s \in Stages |-> Never]
    /\ made = [r \in Requests |-> [s \in Stages |-> 0]]
    /\ newestMade = Never
    /\ kept = [free |-> TRUE, fence |-> TRUE, lease |-> TRUE, order |-> TRUE, told |-> TRUE, asked |-> TRUE, own |-> TRUE,
               grows |-> TRUE, dropped |-> {}]

----------------------------------------------------------------------------
(* The decision *)

\* -> isEarly: a stage begins, or is revived, only when the one that sent its message has settled.
IsEarly(entry, m) == m.stage # "first" /\ entry["first"].status # "settled"

\* -> decideEntry
EntryVerdict(r, m, id) ==
    LET e == r.entry[m.stage] IN
    CASE e.status = "none" -> IF IsEarly(r.entry, m) THEN "busy" ELSE "begin"
      [] e.status = "settled" -> "over"
      [] e.status = "dead" ->
            IF m.death # e.death THEN "over"
            ELSE IF IsEarly(r.entry, m) THEN "busy"
            ELSE "revive"
      [] e.status = "dying" ->
            IF e.owner = id THEN "deadLettering" ELSE IF e.lease = "live" THEN "held" ELSE "deadLetter"
      [] e.status = "open" ->
            IF e.owner = id THEN "mine"
            ELSE IF e.lease = "live" THEN "held"
            ELSE IF e.attempt >= MaxAttempts THEN "deadLetter"
            ELSE "takeOver"

\* -> isValid: a stage that never ran may run, whichever death its message carries; a dead one is reopened only by its own letter.
IsValid(e, m) == e.status = "none" \/ (e.status = "dead" /\ e.death = m.death)

HasEnded(r, m) == r.last.request = m.request /\ r.last.as \in {"completed", "reset"}

\* -> decideRedrive: a dead run goes on only while nothing newer has started. The stage that sent its message goes first.
RedriveVerdict(r, m) ==
    LET entry == deadRuns[m.request].entry IN
    IF r.newest > m.request THEN "over"
    ELSE IF HasEnded(r, m) THEN "over"
    ELSE IF ~IsValid(entry[m.stage], m) THEN "over"
    ELSE IF IsEarly(entry, m) THEN "abandonedMessage"
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
    IF r.run = m.request THEN EntryVerdict(r, m, id)
    ELSE IF m.death > 0 THEN RedriveVerdict(r, m)
    ELSE IF m.request <= r.newest THEN "over"
    ELSE IF m.request \in r.dropped THEN "over"
    ELSE IF r.run # Never THEN ConflictVerdict(r, m)
    ELSE IF OnConflict = "coalesce" /\ m.request < r.waiting THEN "over"
    ELSE "start"

\* -> decideStage, decideStale
StageVerdict(r, m, id) ==
    IF r.run = m.request THEN
        IF m.death > 0 \/ r.reopened \/ r.epoch = m.epoch THEN EntryVerdict(r, m, id) ELSE "over"
    ELSE IF m.death > 0 THEN RedriveVerdict(r, m)
    ELSE IF HasEnded(r, m) \/ r.newest > m.request THEN "over"
    ELSE IF deadRuns[m.request].entry[m.stage].status = "none" THEN "abandonedMessage"
    ELSE "over"

Verdict(r, m, id) == IF m.stage = "first" THEN StartVerdict(r, m, id) ELSE StageVerdict(r, m, id)

(* Outside this module, in the models of the shipped code (test/proof/model/stage): `early` and `replaced` are those of Token; *)
(* `refuse` runs nothing; `lookUp` reads what left the record; `abandonRun` ends a run that is out of time.                     *)

----------------------------------------------------------------------------
(* Writes *)

\* What is written of an entry: that its lease is over is no write.
Text(e) == [e EXCEPT !.lease = "none"]

\* -> unchanged: of a start, which each end and each claim refuses.
Unchanged(r, seen) ==
    /\ r.epoch = seen.epoch
    /\ r.fence = seen.fence

\* -> marksAsJudged: a live attempt may make something after the end was judged.
MarksAsJudged(r, seen) == Reports => r.marks = seen.marks

\* -> sameRun, sameFence, claimStage: the record is as it was judged.
Judged(r, seen, stage) ==
    /\ r.epoch = seen.epoch
    /\ r.fence = seen.fence
    /\ Text(r.entry[stage]) = Text(seen.entry[stage])

\* -> sameRun, stageOwnedBy: the fence.
Fenced(r, w, status) ==
    /\ r.epoch = w.seen.epoch
    /\ r.entry[w.message.stage].owner = w.id
    /\ r.entry[w.message.stage].status = status

EndOf(w) == IF w.pc = "bury" THEN [NoEntry EXCEPT !.status = "dead", !.death = w.seen.epoch]
            ELSE [NoEntry EXCEPT !.status = "settled"]

Ending(w) == [w.seen.entry EXCEPT ![w.message.stage] = EndOf(w)]

\* -> judgeRunProgress: a run lasts until all claimed stages have ended, and all that were sent a message.
KeepsOpen(entry, stage) ==
    /\ entry[stage].status \notin {"settled", "dead"}
    /\ entry[stage].status # "none" \/ entry["first"].status = "settled"

\* "open": another stage will end it.
ProgressOf(entry) ==
    IF \E s \in Stages : KeepsOpen(entry, s) THEN "open"
    ELSE IF \E s \in Stages : entry[s].status = "dead" THEN "dead"
    ELSE "completed"

\* A stage that will end the run is as it was judged: else two that end at once leave the end to each other.
WillEnd(r, w) ==
    \E s \in Stages :
        /\ KeepsOpen(Ending(w), s)
        /\ Text(r.entry[s]) = Text(w.seen.entry[s])

\* -> endStage, endRun
Ends(r, w, status) ==
    LET progress == ProgressOf(Ending(w))
    IN  /\ Fenced(r, w, status)
        /\ progress = "open" => WillEnd(r, w)
        /\ progress # "open" => r.fence = w.seen.fence
        /\ progress = "dead" => MarksAsJudged(r, w.seen)

Holds(r, w) ==
    CASE w.pc = "start" -> Unchanged(r, w.seen) /\ (w.seen.run # Never => MarksAsJudged(r, w.seen))
      [] w.pc = "reopen" -> Unchanged(r, w.seen)
      [] w.pc \in Claims -> Judged(r, w.seen, w.message.stage)
      [] w.pc = "drop" -> r.epoch = w.seen.epoch /\ r.run # Never /\ r.dropped = w.seen.dropped
      [] w.pc = "wait" -> r.epoch = w.seen.epoch /\ r.run # Never /\ r.waiting = w.seen.waiting
      [] w.pc = "effect" -> Fenced(r, w, "open") /\ w.message.stage \notin r.marks
      [] w.pc = "dying" -> Fenced(r, w, "open")
      [] w.pc = "settle" -> Ends(r, w, "open")
      [] w.pc = "bury" -> Ends(r, w, "dying")

Opened(w, attempt) == [NoEntry EXCEPT !.status = "open", !.owner = w.id, !.attempt = attempt, !.lease = "live"]

\* A write removes the entries that its attempt has seen.
Without(r, seen) == [s \in Stages |-> IF seen.entry[s].status = "none" THEN r.entry[s] ELSE NoEntry]

Free(r, seen, as) == [r EXCEPT !.run = Never, !.epoch = seen.epoch + 1, !.entry = Without(r, seen), !.marks = {},
                               !.reopened = FALSE, !.last = [request |-> r.run, as |-> as]]

Later(one, other) == IF one > other THEN one ELSE other

Written(r, w) ==
    LET m == w.message
        seen == w.seen
        progress == ProgressOf(Ending(w))
    IN
    CASE w.pc = "start" ->
            [Fresh EXCEPT !.run = m.request, !.epoch = seen.epoch + 1, !.fence = seen.fence + 1,
                          !.newest = Later(seen.newest, m.request),
                          !.waiting = IF seen.waiting > m.request THEN r.waiting ELSE Never,
                          !.dropped = r.dropped, !.last = r.last, !.entry = [Without(r, seen) EXCEPT !["first"] = Opened(w, 1)]]
      [] w.pc \in {"begin", "revive"} ->
            [r EXCEPT !.fence = seen.fence + 1, !.entry[m.stage] = Opened(w, 1),
                      !.reopened = @ \/ w.pc = "revive"]
      [] w.pc = "takeOver" ->
            [r EXCEPT !.fence = seen.fence + 1, !.entry[m.stage] = Opened(w, seen.entry[m.stage].attempt + 1)]
      [] w.pc = "deadLetter" ->
            [r EXCEPT !.fence = seen.fence + 1,
                      !.entry[m.stage] = [Opened(w, seen.entry[m.stage].attempt) EXCEPT !.status = "dying"]]
      [] w.pc = "reopen" ->
            [r EXCEPT !.run = m.request, !.epoch = seen.epoch + 1, !.fence = seen.fence + 1, !.reopened = TRUE,
                      !.newest = Later(seen.newest, m.request),
                      !.waiting = IF seen.waiting > m.request THEN r.waiting ELSE Never,
                      !.marks = deadRuns[m.request].marks,
                      !.entry = [deadRuns[m.request].entry EXCEPT ![m.stage] = Opened(w, 1)]]
      [] w.pc = "effect" -> [r EXCEPT !.marks = @ \cup {m.stage}]
      [] w.pc = "dying" -> [r EXCEPT !.entry[m.stage].status = "dying"]
      [] w.pc \in {"settle", "bury"} ->
            IF progress = "open" THEN [r EXCEPT !.entry[m.stage] = EndOf(w)] ELSE Free(r, seen, progress)
      [] w.pc = "drop" -> [r EXCEPT !.dropped = seen.dropped \cup {m.request}]
      [] w.pc = "wait" -> [r EXCEPT !.waiting = m.request]

\* A run ends badly with this write, and what its report lists is all that it has made.
IsTold(w) == Reports => w.seen.marks = record.marks

Apply(w) ==
    LET m == w.message
        stage == m.stage
        happens == w.pc = "effect"
        ends == w.pc \in {"settle", "bury"} /\ ProgressOf(Ending(w)) # "open"
        as == ProgressOf(Ending(w))
        none == [s \in Stages |-> Never]
    IN  /\ record' = Written(record, w)
        /\ made' = IF happens THEN [made EXCEPT ![m.request][stage] = @ + 1] ELSE made
        /\ newestMade' = IF happens /\ m.request > newestMade THEN m.request ELSE newestMade
        /\ deadRuns' = IF ends /\ as = "dead"
                       THEN [deadRuns EXCEPT ![m.request] = [epoch |-> record.epoch, entry |-> Ending(w), marks |-> record.marks]]
                       ELSE deadRuns
        /\ holder' = IF w.pc \in {"start", "reopen"} THEN [none EXCEPT ![stage] = w.id]
                     ELSE IF w.pc \in Claims THEN [holder EXCEPT ![stage] = w.id]
                     ELSE IF ends THEN none
                     ELSE IF w.pc \in {"settle", "bury"} THEN [holder EXCEPT ![stage] = Never]
                     ELSE holder
        /\ kept' =
            [free |-> kept.free
                /\ (ends /\ as = "completed" => \A s \in Stages : made[m.request][s] > 0)
                /\ (ends => \A s \in Stages : s # stage => holder[s] = Never)
                /\ (happens => m.request >= newestMade),
             fence |-> kept.fence /\ (w.pc \in Owned => holder[stage] = w.id),
             lease |-> kept.lease /\ ~(w.pc \in Claims \ {"start", "reopen"} /\ record.entry[stage].lease = "live"),
             order |-> kept.order /\ ~(happens /\ stage = "first" /\ \E s \in Behind : made[m.request][s] > 0),
             told |-> kept.told /\ (ends /\ as = "dead" => IsTold(w)) /\ (w.pc = "start" /\ record.run # Never => IsTold(w)),
             asked |-> kept.asked
                /\ (w.pc = "revive" => record.entry[stage].death = m.death)
                /\ (w.pc = "reopen" => deadRuns[m.request].entry[stage].death \in {0, m.death}),
             own |-> kept.own,
             grows |-> kept.grows /\ (w.pc \in Claims => Written(record, w).fence > record.fence),
             dropped |-> IF w.pc = "drop" THEN kept.dropped \cup {m.request} ELSE kept.dropped]

IsMade(r, w) ==
    \/ w.pc = "effect" /\ r.entry[w.message.stage].status = "open" /\ w.message.stage \in r.marks
    \/ w.pc = "dying" /\ r.entry[w.message.stage].status = "dying"

\* -> explainRefusedWrite: what was made before has the mark, or the status, under the own claim.
WasWritten(r, w) ==
    /\ r.epoch = w.seen.epoch
    /\ r.entry[w.message.stage].owner = w.id
    /\ IsMade(r, w)

\* The attempt still has the stage, but the run is not as it was judged: the end is judged again.
IsToJudge(r, w) == w.pc \in {"settle", "bury"} /\ Fenced(r, w, IF w.pc = "bury" THEN "dying" ELSE "open")

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
SameRecord == UNCHANGED <<record, deadRuns, holder, made, newestMade, kept>>

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
        now == [me EXCEPT !.seen = record]
        dead == deadRuns[me.message.request].epoch
    IN  /\ me.pc = "decide"
        /\ IF verdict \in Claims THEN id <= MaxIds /\ ids' = (IF me.id = Never THEN id ELSE ids) ELSE ids' = ids
        /\ CASE verdict \in Claims -> Become(w, [now EXCEPT !.pc = verdict, !.id = id])
             [] verdict \in Noted -> Become(w, [now EXCEPT !.pc = verdict])
             [] verdict = "mine" -> Become(w, [now EXCEPT !.pc = "run"])
             [] verdict = "deadLettering" -> Become(w, [now EXCEPT !.pc = "sendDead"])
             [] verdict = "over" -> Goes(w, "acknowledge")
             [] verdict = "abandonedMessage" ->
                    Become(w, [me EXCEPT !.pc = "sendAbandoned",
                                         !.death = IF me.message.death > 0 THEN me.message.death ELSE dead])
             [] verdict \in {"held", "busy"} -> Become(w, Idle)
        /\ kept' = [kept EXCEPT !.own = @ /\ ~(verdict = "held" /\ record.entry[me.message.stage].owner = me.id)]
        /\ UNCHANGED <<record, deadRuns, holder, made, newestMade, queue, acknowledged, letters, late, faults>>

\* What an attempt knows of the record: what it has claimed, and the marks that it has added.
Known(me) ==
    IF me.pc \in Claims THEN record'
    ELSE IF me.pc = "effect" THEN [me.seen EXCEPT !.marks = @ \cup {me.message.stage}]
    ELSE IF me.pc = "dying" THEN [me.seen EXCEPT !.entry[me.message.stage].status = "dying"]
    ELSE me.seen

Write(w) ==
    LET me == worker[w] IN
    /\ me.pc \in Claims \cup Owned \cup Noted
    /\ IF Holds(record, me) THEN
           /\ Apply(me)
           /\ IF After(me.pc) = "idle" THEN Become(w, Idle)
              ELSE Become(w, [me EXCEPT !.pc = After(me.pc), !.seen = Known(me)])
       ELSE
           /\ SameRecord
           /\ IF me.pc \in Claims \cup Noted THEN Goes(w, "decide")
              ELSE IF WasWritten(record, me) THEN Become(w, [me EXCEPT !.pc = After(me.pc), !.seen = record])
              ELSE IF IsToJudge(record, me) THEN Become(w, [me EXCEPT !.seen = record])
              ELSE Become(w, Idle)
    /\ UNCHANGED <<queue, acknowledged, letters, late, ids, faults>>

\* A try of the write is slow, or its answer is lost: the SDK makes the write again, and the first try arrives whenever it likes.
WriteSlowly(w) ==
    /\ worker[w].pc \in Claims \cup Owned \cup Noted
    /\ faults < MaxFaults
    /\ faults' = faults + 1
    /\ late' = late \cup {worker[w]}
    /\ SameRecord
    /\ UNCHANGED <<queue, acknowledged, letters, worker, ids>>

\* The handler makes its effect and hands over to the next stages; or it fails: the message comes again, or dies.
Handle(w) ==
    LET me == worker[w] IN
    /\ me.pc \in {"run", "made"}
    /\ \/ me.pc = "run" /\ Goes(w, "effect")
       \/ me.pc = "made" /\ Goes(w, IF me.message.stage = "first" THEN "handOver" ELSE "settle")
       \/ me.seen.entry[me.message.stage].attempt >= MaxAttempts /\ Goes(w, "dying")
    /\ SameRecord /\ UNCHANGED <<queue, acknowledged, letters, late, ids, faults>>

HandOver(w) ==
    /\ worker[w].pc = "handOver"
    /\ queue' = queue \cup {[request |-> worker[w].message.request, stage |-> s, epoch |-> worker[w].seen.epoch, death |-> 0,
                              by |-> worker[w].id] : s \in Behind}
    /\ Goes(w, "settle")
    /\ SameRecord /\ UNCHANGED <<acknowledged, letters, late, ids, faults>>

SendDead(w) ==
    LET me == worker[w] IN
    /\ me.pc \in {"sendDead", "sendAbandoned"}
    /\ IF me.id = Never THEN ids < MaxIds /\ ids' = ids + 1 ELSE ids' = ids
    /\ letters' = letters \cup {[me.message EXCEPT !.death = IF me.pc = "sendDead" THEN me.seen.epoch ELSE me.death,
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
    /\ worker[w].pc # "idle"
    /\ faults < MaxFaults
    /\ faults' = faults + 1
    /\ late' \in {late} \cup (IF worker[w].pc \in Claims \cup Owned \cup Noted THEN {late \cup {worker[w]}} ELSE {})
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
            /\ UNCHANGED <<deadRuns, queue, acknowledged, letters, worker, late, ids, holder, made, newestMade, kept>>

\* An operator ends the run from outside. -> resetFromOutside
Reset ==
    /\ record.run # Never
    /\ faults < MaxFaults
    /\ faults' = faults + 1
    /\ record' = Free(record, record, "reset")
    /\ holder' = [s \in Stages |-> Never]
    /\ UNCHANGED <<deadRuns, queue, acknowledged, letters, worker, late, ids, made, newestMade, kept>>

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
        \/ Receive(w) \/ Decide(w) \/ Write(w) \/ WriteSlowly(w)
        \/ Handle(w) \/ HandOver(w) \/ SendDead(w) \/ Acknowledge(w) \/ Kill(w)
    \/ ArriveLate \/ LeaseEnds \/ Reset \/ Redrive \/ Rest

Spec == Init /\ [][Next]_vars

----------------------------------------------------------------------------
(* Promises, as the README words them *)

\* Every effect happens exactly once.
NeverTwice == \A r \in Requests : \A s \in Stages : made[r][s] <= 1

\* The key is free only after the last effect, and nothing old is written over something newer.
FreeAtTheEnd == kept.free

\* An attempt whose stage another has claimed, or that has ended, writes nothing.
LateWritesNothing == kept.fence

\* Nobody takes a stage whose lease is live. A stage makes nothing after the stages behind it.
Exclusive == kept.lease
InOrder == kept.order

\* The report of a bad end lists all that the run has made. A letter reopens only the death of which it tells.
AllTold == kept.told
OwnDeath == kept.asked

Waits(r) == \E m \in queue \cup letters : m.request = r

\* Who was refused does not run later.
DroppedForGood == \A r \in kept.dropped : \A s \in Stages : made[r][s] = 0

\* A run whose stages have ended does not keep the key.
SomebodyEndsIt == record.run # Never => ProgressOf(record.entry) = "open"

\* Each claim has a greater fence than those before it.
FenceGrows == kept.grows

\* An attempt to whose claim the answer was lost knows the claim as its own: it does not wait until its own lease is over.
KnowsItsClaim == kept.own

\* No message is lost: a request that nothing newer has replaced is on a queue until both effects are made, or was dropped on purpose.
NothingLost ==
    \A r \in Requests :
        \/ Waits(r)
        \/ \A s \in Stages : made[r][s] = 1
        \/ r < record.newest
        \/ record.last = [request |-> r, as |-> "reset"]
        \/ r < record.waiting
        \/ r \in kept.dropped

----------------------------------------------------------------------------
(* Why a condition decides nothing *)

\* A stage has an entry only behind one that has settled, and that is so for good: attempts and dead runs know it too.
BehindSettled ==
    \A entry \in {record.entry} \cup {worker[w].seen.entry : w \in Workers} \cup {deadRuns[r].entry : r \in Requests} :
        (\E s \in Behind : entry[s].status # "none") => entry["first"].status = "settled"

\* An id is in an entry only for as long as the run lasts in which it claimed.
OwnerIsOfTheRun ==
    \A one \in {worker[w] : w \in Workers} \cup late :
        one.pc \in Owned /\ record.entry[one.message.stage].owner = one.id => record.epoch = one.seen.epoch

\* What refuses a write of the attempt that has the stage is this very write, or the write of a stage beside it.
RefusedIsMade ==
    \A one \in {worker[w] : w \in Workers} \cup late :
        LET e == record.entry[one.message.stage] IN
        one.pc \in Owned /\ e.owner = one.id =>
            \/ e.status = IF one.pc = "bury" THEN "dying" ELSE "open"
            \/ one.pc = "effect" /\ one.message.stage \in record.marks
            \/ one.pc = "dying" /\ e.status = "dying"

\* Each start and each end raises the epoch.
EpochIsOfOneRun ==
    \A one \in {worker[w] : w \in Workers} \cup late :
        one.pc \in Noted /\ record.epoch = one.seen.epoch => record.run = one.seen.run

\* Only the newest request that has started has the key, or had it last; what a run has sent is of one that has started.
NewestHasTheKey ==
    /\ record.run \in {Never, record.newest}
    /\ record.run = Never => record.last.request = record.newest
    /\ \A m \in queue \cup acknowledged \cup letters : m.death > 0 \/ m.stage # "first" => m.request <= record.newest

\* Only a dead entry has the number of a death.
DeathIsOfTheDead ==
    \A entry \in {record.entry} \cup {deadRuns[r].entry : r \in Requests} :
        \A s \in Stages : entry[s].death > 0 => entry[s].status = "dead"

\* Only "coalesce" writes who waits.
OnlyCoalesceWaits == OnConflict # "coalesce" => record.waiting = Never

\* What no claim has changed has no marks that the attempt does not know: an attempt beside it would have claimed since.
FenceKnowsTheMarks ==
    \A one \in {worker[w] : w \in Workers} \cup late :
        LET progress == ProgressOf(Ending(one)) IN
        /\ one.pc \in {"settle", "bury"}
        /\ Fenced(record, one, IF one.pc = "bury" THEN "dying" ELSE "open")
        /\ progress = "dead" /\ record.fence = one.seen.fence
        => record.marks = one.seen.marks
=============================================================================
