import { formatRelative, formatTime } from '../text/humanTime.ts'
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
    run.ending === undefined
      ? `time limit: ${formatTime(run.giveUpAt, now)}`
      : `being ended (${run.ending.as}): it can write nothing${endText(run.ending.undo)}`,
    ...stageLines(run.stages, now),
    ...(run.marks.length === 0 ? [] : [`effects and calls: ${run.marks.join(', ')}`]),
    ...history,
  ]
}

function endText(undo: boolean): string {
  return undo ? ', and its effects will be undone' : ', and its key is freed'
}

/** Those that have begun: what is done says where a message is on its way to. */
export function stageLines(stages: readonly StageState[], now: number): readonly string[] {
  return stages
    .filter(({ status }) => status !== 'coming')
    .map((stage) => `stage ${stage.name}: ${describeStage(stage, now)}`)
}

export function describeStage(stage: StageState, now: number): string {
  const { status, attempt, leaseUntil = 0, due = 0, resent, sentTo, ends, reason } = stage
  switch (status) {
    case 'coming':
      return 'a message is on its way to it'
    case 'running':
      return `running (attempt ${attempt}), its lease ends ${formatRelative(leaseUntil, now)}`
    case 'lost':
      return `attempt ${attempt} was lost: its lease ended ${formatRelative(leaseUntil, now)}`
    case 'waiting':
      return `attempt ${attempt} failed; the next is due ${formatRelative(due, now)}${resent === true ? '' : ' (its resend is not confirmed)'}`
    case 'done':
      if (sentTo.length > 0) return `done, sent to ${sentTo.join(', ')}`
      return ends ? 'done, ends the flow' : 'done'
    case 'dying':
      return `dying (${reason}): its dead letter is being sent`
    case 'dead':
      return `dead (${reason})`
  }
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
  switch (status) {
    case 'waiting':
    case 'overdue':
      return `its timeout is ${formatTime(until, now)}`
    case 'timedOut':
      return 'timed out'
    case 'complete':
      return 'complete'
  }
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
  const { reason, error, stack, effects, calls, deaths } = token
  return [
    statusLine(token, now),
    ...(reason === undefined ? [] : [`reason: ${reason}`]),
    ...errorLines({ error, stack }),
    ...(effects.length === 0 ? [] : [`effects applied: ${effects.join(', ')}`]),
    ...calls.map((call) => `call '${call.name}': ${callText(call)}`),
    ...(deaths === 0 ? [] : [`dead-lettered: ${times(deaths)}`]),
  ]
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
  switch (status) {
    case 'done':
      return typeof rememberedUntil === 'number'
        ? `done (${of}), remembered until ${formatTime(rememberedUntil, now)}`
        : `done (${of}), remembered forever`
    case 'running':
      return `running (${of}): its lease ends ${formatRelative(leaseUntil, now)}`
    case 'lost':
      return `its attempt was lost (${of}): the lease ended ${formatRelative(leaseUntil, now)}`
    case 'free':
      return `free (fence ${fence}): the next message or call runs it`
    case 'waiting':
      return `waiting for its next attempt, due ${formatRelative(notBefore, now)} (${of} was the last)`
    case 'overdue':
      return `its next attempt is overdue (${of} was the last): its message is on the queue, or was lost`
    case 'dying':
      return `dying (${of}): its dead letter is being sent`
    case 'undoing':
      return `dead (${of}): its effects are being undone`
    case 'undone':
      return `dead (${of}): its effects are undone`
    case 'error':
      return `parked as error (${of}): waits for an operator`
    case 'unknown':
      return `parked as unknown (${of}): its outcome is unknown, and waits for an operator`
  }
}

/** A result may hold private data: `lineclear show` prints it. */
function callText({ state, result, resultBytes }: CallFacts): string {
  switch (state) {
    case 'unknown':
      return 'begun, outcome unknown'
    case 'notMade':
      return 'not made'
    case 'other':
      return 'stored by another version'
    case 'done':
      return `done${RESULTS[result]}${resultBytes === undefined ? '' : ` (${resultBytes} bytes)`}`
  }
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
