import type { AttemptSpan } from './attempts.ts'
import type { Outcome } from './timelineEvent.ts'
import type { Bar } from './waterfall.ts'

/** A bar for each attempt, and one for what came between it and the next. */
export function attemptBars(spans: readonly AttemptSpan[], now: number): readonly Bar[] {
  return spans.flatMap((span, at) => [attemptBar(span, now), ...gapAfter(span, spans[at + 1], now)])
}

function attemptBar(span: AttemptSpan, now: number): Bar {
  const { lane, request, attempt, from, to, state, outcome, why, until } = span
  const open = state === 'running'
  return {
    lane,
    kind: 'attempt',
    from,
    to: open ? Math.max(now, from) : to,
    open,
    until: open ? until : undefined,
    outcome,
    attempt,
    request,
    label: `attempt ${attempt}${open ? ': running' : outcome === undefined ? '' : `: ${OUTCOMES[outcome]}`}`,
    why,
    marks: [],
  }
}

const OUTCOMES: Readonly<Record<Outcome, string>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  dead: 'failed for good',
  unknown: 'unknown outcome',
  lost: 'lost',
  timedOut: 'timed out',
  overtaken: 'overtaken',
  stale: 'stale',
}

/** After a lost attempt its lease; after a failed one the time until the next. */
function gapAfter(
  { lane, request, attempt, to, outcome, until }: AttemptSpan,
  next: AttemptSpan | undefined,
  now: number,
): readonly Bar[] {
  const isLease = outcome === 'lost'
  if (!isLease && outcome !== 'failed' && outcome !== 'timedOut') return []
  const open = next === undefined && (!isLease || (until ?? 0) > now)
  const end = next?.from ?? (isLease ? Math.min(until ?? to, now) : now)
  if (end <= to) return []
  return [
    {
      lane,
      kind: isLease ? 'lease' : 'delay',
      from: to,
      to: end,
      open,
      until,
      outcome: undefined,
      attempt: isLease ? attempt : next?.attempt,
      request,
      label: isLease ? `lease of attempt ${attempt}` : 'waits for the next attempt',
      why: undefined,
      marks: [],
    },
  ]
}
