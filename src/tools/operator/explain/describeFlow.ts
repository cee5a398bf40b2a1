import { formatRelative, formatTime } from '../text/humanTime.ts'
import { isSilent, SILENCE } from '../item/silence.ts'
import type { FlowState } from './flowState.ts'
import type { StageState, StepState } from './stageState.ts'
import type { CallFacts } from './factParts.ts'
import type { TokenState } from './tokenState.ts'

export function describeFlow(flow: FlowState, now: number): readonly string[] {
  const { run, newest, waiting, dropped, ended, last, epoch, fence } = flow
  const versions = `epoch ${epoch}, fence ${fence}`
  const history = [
    ...(newest === undefined ? [] : [`newest request that started: ${versionText(newest, now)}`]),
    ...(waiting === undefined ? [] : [`waiting on the queue: ${versionText(waiting, now)}`]),
    ...(last === undefined ? [] : [`last request that ended: ${last.as} (digest ${last.digest})`]),
    ...(ended === 0 ? [] : [`ended requests that are remembered: ${ended}`]),
    ...(dropped === 0 ? [] : [`requests dropped while another held the key: ${dropped}`]),
  ]
  if (run === undefined) return [`idle (${versions}): the key is free`, ...history]
  return [
    `${run.request} holds the key (${versions})${run.reopened ? ', reopened by a redrive' : ''}`,
    `time limit: ${formatTime(run.giveUpAt, now)}`,
    ...stageLines(run.stages, now),
    ...(run.marks.length === 0 ? [] : [`effects and calls: ${run.marks.join(', ')}`]),
    ...history,
  ]
}

/** Those that have begun: what is done says where a message is on its way to. */
export function stageLines(stages: readonly StageState[], now: number): readonly string[] {
  return stages
    .filter(({ status }) => status !== 'coming')
    .map((stage) => `stage ${stage.name}: ${describeStage(stage, now)}`)
}

export function describeStage(stage: StageState, now: number): string {
  const { status, attempt, leaseUntil = 0, due = 0, resent, sentTo, ends, reason } = stage
  const lease = formatRelative(leaseUntil, now)
  const unconfirmed = resent === true ? '' : ' (its resend is not confirmed)'
  const end = ends ? 'done, ends the flow' : 'done'
  const texts: Readonly<Record<StageState['status'], string>> = {
    coming: 'a message is on its way to it',
    running: `running (attempt ${attempt}), its lease ends ${lease}`,
    lost: `attempt ${attempt} was lost: its lease ended ${lease}`,
    waiting: `attempt ${attempt} failed; the next is due ${formatRelative(due, now)}${unconfirmed}`,
    done: sentTo.length > 0 ? `done, sent to ${sentTo.join(', ')}` : end,
    dying: `dying (${reason}): its dead letter is being sent`,
    dead: `dead (${reason})`,
  }
  return texts[status]
}

export function describeStep(step: StepState, now: number): readonly string[] {
  const { need, received, requested, refused } = step
  const answers = `${received} of ${need} required answers received (${requested} requested)`
  return [
    `${stepText(step, now)}: ${answers}`,
    ...externalIdLines(step),
    ...(refused === undefined ? [] : [`the last answer by hand was refused: ${refused}`]),
  ]
}

function stepText({ status, until }: StepState, now: number): string {
  if (status === 'complete') return 'complete'
  return status === 'timedOut' ? 'timed out' : `its timeout is ${formatTime(until, now)}`
}

function externalIdLines({ externalIds, more }: StepState): readonly string[] {
  if (externalIds.length === 0) return []
  const ids = externalIds.map(({ id, answered }) => (answered ? `${id} (answered)` : id))
  return [`external ids: ${ids.join(', ')}${more > 0 ? `, and ${more} more` : ''}`]
}

function versionText(
  { request, sentAt }: { readonly request: string; readonly sentAt: number },
  now: number,
): string {
  return `${request}, sent ${formatTime(sentAt, now)}`
}

export function describeToken(token: TokenState, now: number): readonly string[] {
  const { reason, error, stack, effects, calls, deaths, final, untold } = token
  return [
    statusLine(token, now),
    ...silenceLines(token),
    ...(reason === undefined ? [] : [`reason: ${reason}`]),
    ...errorLines({ error, stack }),
    ...(effects.length === 0 ? [] : [`effects applied: ${effects.join(', ')}`]),
    ...calls.map((call) => `call '${call.name}': ${callText(call)}`),
    ...(deaths === 0 ? [] : [`dead-lettered: ${times(deaths)}`]),
    ...(untold === undefined ? [] : [`onFailure has not ended: ${untold}`]),
    ...(final ? ["its death is final (dead: 'final', or dropped): it never runs again"] : []),
  ]
}

function silenceLines(token: TokenState): readonly string[] {
  const isOpen = token.status === 'running' || token.status === 'lost'
  return isOpen && isSilent(token) ? [`no attempt before it has reported an end: ${SILENCE}`] : []
}

/** The error, and where it came from, one frame or cause a line. */
export function errorLines({
  error,
  stack,
}: Pick<TokenState, 'error' | 'stack'>): readonly string[] {
  return [
    ...(error === undefined ? [] : [`error: ${error}`]),
    ...(stack === undefined ? [] : stack.split('\n').map((line) => `  ${line}`)),
  ]
}

function statusLine(token: TokenState, now: number): string {
  const { status, attempt, fence, leaseUntil = 0, notBefore = 0, rememberedUntil } = token
  const of = `attempt ${attempt}, fence ${fence}`
  const [lease, due] = [formatRelative(leaseUntil, now), formatRelative(notBefore, now)]
  const until =
    typeof rememberedUntil === 'number' ? `until ${formatTime(rememberedUntil, now)}` : 'forever'
  const texts: Readonly<Record<TokenState['status'], string>> = {
    done: `done (${of}), remembered ${until}`,
    running: `running (${of}): its lease ends ${lease}`,
    lost: `its attempt was lost (${of}): the lease ended ${lease}`,
    free: `free (fence ${fence}): the next message or call runs it`,
    waiting: `waiting for its next attempt, due ${due} (${of} was the last)`,
    overdue: `its next attempt is overdue (${of} was the last): its message is on the queue, or was lost`,
    dying: `dying (${of}): its dead letter is being sent`,
    ending: `dead-lettered, and onFailure runs or is due (${of} of it)`,
    error: `parked as error (${of}): waits for an operator`,
    unknown: `parked as unknown (${of}): its outcome is unknown, and waits for an operator`,
  }
  return texts[status]
}

/** A result may hold private data: `lineclear explain --items` prints it. */
function callText({ state, result, resultBytes }: CallFacts): string {
  const bytes = resultBytes === undefined ? '' : ` (${resultBytes} bytes)`
  const texts: Readonly<Record<CallFacts['state'], string>> = {
    unknown: 'begun, outcome unknown',
    notMade: 'not made',
    other: 'stored by another version',
    done: `done${RESULTS[result]}${bytes}`,
  }
  return texts[state]
}

const RESULTS: Readonly<Record<CallFacts['result'], string>> = {
  stored: ', its result is stored',
  apart: ', its result is in the result store',
  lost: ', not stored',
  none: '',
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}
