import { isoTime } from '../../../library/base/time.ts'
import { adviceLines } from '../item/advise.ts'
import { formatTime, formatRelative } from '../text/humanTime.ts'
import {
  describeFlow,
  describeStep,
  stageLines,
  describeToken,
  errorLines,
} from './describeFlow.ts'
import type { Facts, DeadRunFacts, FlowFacts, EventFacts, OtherFacts, TokenFacts } from './facts.ts'
import { logLines } from './insights.ts'
import type { DelayedState } from './otherState.ts'

export function titleOf(facts: Facts): string {
  const { id, sk } = facts
  switch (facts.kind) {
    case 'request':
    case 'key':
    case 'flow':
      return `${facts.kind} ${id}`
    case 'step':
      return `step ${facts.step} of ${id}, for ${facts.request}`
    case 'deadRun':
      return `dead request of ${id}: ${facts.request}`
    case 'event':
      return `event ${id}, processed once`
    case 'delayed':
      return `delayed message ${id}`
    case 'other':
    case 'unreadable':
      return `${id} ${sk}`
  }
}

export function describeFacts(
  facts: Facts,
  now: number,
  { isLocal = false }: { readonly isLocal?: boolean } = {},
): readonly string[] {
  return [
    ...stateLines(facts, now),
    ...adviceLines(facts.advice),
    ...('logs' in facts && !isLocal ? logLines(facts.logs) : []),
    ...operatorLines(facts),
  ]
}

/** The state in words, without what may be done about it. */
function stateLines(facts: Facts, now: number): readonly string[] {
  switch (facts.kind) {
    case 'request':
    case 'key':
      return tokenLines(facts, now)
    case 'flow':
      return flowLines(facts, now)
    case 'step':
      return describeStep(facts, now)
    case 'deadRun':
      return deadRunLines(facts, now)
    case 'event':
      return eventLines(facts)
    case 'delayed':
      return describeDelayed(facts, now)
    case 'other':
      return attributeLines(facts, now)
    case 'unreadable':
      return [facts.why]
  }
}

function tokenLines(facts: TokenFacts, now: number): readonly string[] {
  const { kind, sent, fates } = facts
  return [
    ...describeToken(facts, now),
    ...sent.map(({ name, id }) => `sent to ${name}: ${id}`),
    ...claimLines(facts, now),
    ...payloadLines(facts),
    ...fates.map(({ text }) => `if ${kind === 'key' ? 'called' : 'delivered'} now: ${text}`),
  ]
}

/** What waits has its payload in its message, on its queue or dead-letter queue. */
function payloadLines({ kind, status, sha256 }: TokenFacts): readonly string[] {
  if (kind !== 'request' || status !== 'done' || sha256 === undefined) return []
  return [
    `payload: SHA-256 ${sha256}; its text may be with its sender, in the log of its function, or where offload keeps it. Of a dead letter that conflicts with it, lineclear dlq peek shows time and SHA-256`,
  ]
}

function claimLines({ claimedAt, claimedBy, endedAt }: TokenFacts, now: number): readonly string[] {
  const at = claimedAt === undefined ? 'at an unknown time' : formatTime(claimedAt, now)
  return [
    ...(claimedBy === undefined ? [] : [`claimed ${at} by ${claimedBy}`]),
    ...(endedAt === undefined ? [] : [`ended ${formatTime(endedAt, now)}`]),
  ]
}

function flowLines(facts: FlowFacts, now: number): readonly string[] {
  const { lastMarks, fates } = facts
  const [first] = fates
  return [
    ...describeFlow(facts, now),
    ...(lastMarks.length === 0 ? [] : [`its effects and calls: ${lastMarks.join(', ')}`]),
    ...(first === undefined
      ? []
      : [`if ${first.request} is delivered now: ${fates.map(({ text }) => text).join('; ')}`]),
  ]
}

function deadRunLines(facts: DeadRunFacts, now: number): readonly string[] {
  const { stages, marks } = facts
  return [
    ...stageLines(stages, now),
    ...errorLines(facts),
    ...(marks.length === 0 ? [] : [`effects and calls that are not repeated: ${marks.join(', ')}`]),
  ]
}

function eventLines({ status, acceptedAt, queuedAt, fates }: EventFacts): readonly string[] {
  if (status === 'accepted') {
    return [
      `accepted ${timeText(acceptedAt)}, not yet on its queue: a duplicate call or the sweeper queues it`,
    ]
  }
  return [
    status === 'queued' ? `queued ${timeText(queuedAt)}` : `taken ${timeText(acceptedAt)}`,
    ...fates.map(({ text }) => `if delivered now: ${text}`),
  ]
}

function timeText(time: number | undefined): string {
  return time === undefined ? 'at an unknown time' : isoTime(time)
}

function attributeLines(
  { attributes, keptUntil }: Pick<OtherFacts, 'attributes' | 'keptUntil'>,
  now: number,
): readonly string[] {
  return [
    ...attributes.map((attribute) =>
      'bytes' in attribute
        ? `${attribute.name}: ${attribute.bytes} bytes`
        : `${attribute.name}: ${attribute.value}`,
    ),
    ...(keptUntil === undefined ? [] : [`kept until: ${formatTime(keptUntil, now)}`]),
  ]
}

function operatorLines({ operator }: Facts): readonly string[] {
  if (operator === undefined) return []
  const { by, at, did, why } = operator
  return [`changed by ${by}, ${timeText(at)}: ${did} (${why})`]
}

/** For a page that shows the error, the advice and the log in other places. */
export function briefLines(facts: Facts, now: number): readonly string[] {
  return [
    ...stateLines({ ...facts, error: undefined, stack: undefined } as Facts, now),
    ...operatorLines(facts),
  ]
}

/** A delayed message, one fact per line. */
export function describeDelayed(row: DelayedState, now: number): readonly string[] {
  const { queue, by, request, run } = row
  const of = run === undefined ? '' : `, a run of ${run}`
  return [stateText(row, now), `to: ${queue}`, `from: ${by}, for the request ${request}${of}`]
}

function stateText({ status, due, dueAt = due }: DelayedState, now: number): string {
  switch (status) {
    case 'sent':
      return `sent; it was due ${formatTime(due, now)}`
    case 'void':
      return `void: it is never sent; it was due ${formatTime(due, now)}`
    case 'heldBack':
      return `kept back, since its run is dead; it was due ${formatTime(due, now)}, and is looked at again ${formatRelative(dueAt, now)}`
    case 'waiting':
      return `waits: the sweeper sends it ${formatRelative(due, now)}`
    case 'due':
      return `due ${formatRelative(due, now)}: the sweeper sends it. If this lasts, it does not run, or the queue refuses it`
  }
}
