import type { LaneEvent } from './attempts.ts'
import type { Facts } from './facts.ts'
import type { StepFacts } from './flowFacts.ts'
import type { DelayedFacts } from './messageFacts.ts'
import type { Bar } from './waterfall.ts'

/** What waited while no attempt ran: steps, delayed messages, deferred deliveries, and a request that was not taken at once. */
export function waitBars(
  events: readonly LaneEvent[],
  facts: readonly Facts[],
  now: number,
): readonly Bar[] {
  const began = events.filter(({ kind }) => kind === 'began' || kind === 'ended')
  return [
    ...facts.flatMap((each) => {
      if (each.kind === 'step') return stepBar(each, began, now)
      return each.kind === 'delayed' ? delayedBar(each, now) : []
    }),
    ...events.flatMap((event) => (event.kind === 'deferred' ? deferredBar(event, now) : [])),
    ...events.flatMap((event) => (event.kind === 'sent' ? queuedBar(event, began) : [])),
  ]
}

const PLAIN = {
  outcome: undefined,
  attempt: undefined,
  why: undefined,
  marks: [],
} as const

/** The table does not say when an answer came: its handler has begun then, as far as the log shows it. */
function stepBar(step: StepFacts, began: readonly LaneEvent[], now: number): readonly Bar[] {
  const { of, request, since, until, status } = step
  if (since === undefined) return []
  const lane = `${of}.${step.step}`
  const open = status === 'waiting' || status === 'overdue'
  const handled = began.find(
    (event) => event.lane === lane && event.request === request && event.at >= since,
  )
  const to = open ? now : (handled?.at ?? (status === 'timedOut' ? Math.min(until, now) : since))
  const label = `waits for the answer of step ${step.step}`
  return [{ ...PLAIN, lane, kind: 'wait', from: since, to, open, until, request, label }]
}

function delayedBar(delayed: DelayedFacts, now: number): readonly Bar[] {
  const { by, request, since, endedAt, due, status } = delayed
  if (since === undefined) return []
  const open = status !== 'sent' && status !== 'void'
  const to = open ? now : (endedAt ?? Math.min(due, now))
  const label = 'delayed message'
  return [{ ...PLAIN, lane: by, kind: 'delay', from: since, to, open, until: due, request, label }]
}

function deferredBar(event: LaneEvent, now: number): readonly Bar[] {
  const { at, until, lane, request, what } = event
  if (until === undefined || until <= at) return []
  const open = until > now
  const to = open ? now : until
  return [{ ...PLAIN, lane, kind: 'delay', from: at, to, open, until, request, label: what }]
}

/** From its first sending to its first attempt. */
function queuedBar(event: LaneEvent, began: readonly LaneEvent[]): readonly Bar[] {
  const { at, request } = event
  const first = began.find((each) => each.request === request && each.at >= at)
  if (first === undefined || first.at === at) return []
  const { lane } = first
  const label = 'on its queue'
  const bar = { lane, from: at, to: first.at, open: false, until: undefined, request, label }
  return [{ ...PLAIN, kind: 'wait', ...bar }]
}
