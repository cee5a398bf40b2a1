import { formatRelative, formatTime } from '../text/humanTime.ts'
import type { FlowState } from './flowState.ts'
import type { StageState } from './stageState.ts'
import type { StepState } from './stepState.ts'

/** A stage record, one fact per line. */
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

/** An awaited step, one fact per line. */
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
      return `waits until ${formatTime(until, now)}`
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
