import type { Delayed } from '../../../delay/delayedRow.ts'
import type { Awaiting } from '../../../claim/awaiting/awaiting.ts'
import type { Token } from '../../../claim/token/token.ts'
import { isAtEnd } from '../../../claim/stage/stageEntry.ts'
import { readStages, type StageRecord } from '../../../claim/stage/stageRecord.ts'
import type { Item } from '../../../store/store.ts'
import { isIdempotencyKey, splitId } from '../../address.ts'
import { adviceFor } from '../item/adviceFor.ts'
import { optionWord, positionalWords, shellWord } from '../text/commandLine.ts'
import { deadRecordOf, type KeptRecord, recordUndoId } from '../../../claim/token/deadRecord.ts'
import { UNDO_SUFFIX } from '../../../claim/token/deadRecord.ts'
import { unknownCalls } from './describeToken.ts'
import { runLeaseUntil } from '../item/task.ts'

/** The commands that may help, each with the condition under which it is right. */
/** @param homeQueue its dead letter is on this queue; undefined: not known */
export function suggestForToken(
  token: Token,
  id: string,
  now: number,
  homeQueue?: string,
): readonly string[] {
  const { status, leaseUntil } = token
  if (status === 'complete' || status === 'undoing' || status === 'undone') return []
  if (isIdempotencyKey(token.pk)) return suggestForKey(token, id, now)
  if (status === 'unknown' || status === 'error') return suggestForParked(token, id, homeQueue)
  if (leaseUntil > now || token.notBefore > now)
    return ['next: nothing to do, it continues by itself']
  return [
    `next: if it was done: lineclear tokens resolve ${shellWord(id)}`,
    'if it was not: its message is redelivered when the visibility timeout of its queue is over. If nothing has come by then, and the queue is empty, the message is gone: send it again, with the same payload and the same id',
  ]
}

/** A call whose outcome is unknown is looked up first; otherwise the usual cure of its dead letter comes first. */
function suggestForParked(
  token: Token,
  id: string,
  homeQueue: string | undefined,
): readonly string[] {
  const word = shellWord(id)
  const doubtful = unknownCalls(token)
  const notDone = doubtful.map((name) => optionWord('--not-done', name))
  const by = { id: splitId(id).rest }
  const resolve = `lineclear tokens resolve ${word}`
  const release = `if it was not done: lineclear tokens release ${[word, ...notDone].join(' ')}; to run it again: lineclear tokens reopen ${word}`
  if (token.status === 'unknown' || doubtful.length > 0) {
    const known = doubtful
      .slice(0, 1)
      .map(
        (call) =>
          `if the call '${call}' was made and the rest was not: lineclear tokens reopen ${word} ${optionWord('--answer', `${call}=JSON`)}`,
      )
    const redrive = adviceFor({ reason: 'exhausted', queue: homeQueue, by })
    return [
      `next: check the outside system. If everything was done: ${resolve}`,
      ...known,
      release,
      ...(token.death === 0
        ? []
        : [`after release or reopen, redrive its dead letter: ${redrive.next}`]),
    ]
  }
  if (token.death === 0) return [`next: check whether it was done. If it was: ${resolve}`, release]
  return [
    ...adviceLines({ reason: token.reason ?? 'exhausted', queue: homeQueue, by }),
    `if it was done meanwhile, or is not wanted any more: ${resolve}`,
    'if its dead letter is not on the queue: lineclear audit shows whether it was discarded; lineclear dlq restore PLAN brings it back',
    `without a dead letter: lineclear tokens reopen ${word}, and send its message again under the same id`,
  ]
}

function adviceLines(deadLetter: Parameters<typeof adviceFor>[0]): readonly string[] {
  const { redrive, next, afterwards } = adviceFor(deadLetter)
  return [
    redrive ? `next: after the fix, redrive its dead letter: ${next}` : `next: ${next}`,
    ...(afterwards === undefined ? [] : [afterwards]),
  ]
}

/** What there is to say about the undo of a dead record, or of one whose token is that of an undo. */
export function suggestForUndo(
  token: Token,
  id: string,
  kept: KeptRecord | undefined,
): readonly string[] {
  const { status, death } = token
  const { consumer, id: request } = deadRecordOf(token)
  const undo = shellWord(`${consumer}${UNDO_SUFFIX}/${recordUndoId(request, death)}`)
  switch (status) {
    case 'undone':
      return [`closed: it cannot be redriven. Its undo: lineclear explain ${undo}`]
    case 'undoing':
      return [
        `next: nothing to do, it cannot be redriven. Its undo: lineclear explain ${undo}; if that is dead, redrive its dead letter`,
        `if the message of the undo is gone: lineclear tokens undo ${shellWord(id)}`,
      ]
    case 'error':
    case 'unknown':
      return kept?.death === death && token.undoable === token.fence
        ? [`to undo what it has done: lineclear tokens undo ${shellWord(id)}`]
        : []
    default:
      return []
  }
}

function suggestForKey(token: Token, id: string, now: number): readonly string[] {
  const { status, leaseUntil, since } = token
  if (status === 'unknown' || status === 'error') {
    return [
      `next: check the outside system. If it was done: lineclear tokens resolve ${shellWord(id)}`,
      `if nothing was done: lineclear tokens release ${shellWord(id)}; the next call runs the whole section again`,
    ]
  }
  // Without ctx its section has no calls with names.
  const calls = since === undefined ? ['section'] : unknownCalls(token)
  const notDone = calls.map((name) => ` ${optionWord('--not-done', name)}`).join('')
  return leaseUntil > now
    ? [
        'next: nothing to do while the process that runs the call is alive',
        `if its process is dead, and it has done nothing: lineclear tokens release ${shellWord(id)}${notDone} --force`,
      ]
    : [
        'next: nothing to do, the next call for the key runs it',
        `if it was done: lineclear tokens resolve ${shellWord(id)}`,
      ]
}

export function suggestForRun(record: StageRecord, id: string, now: number): readonly string[] {
  const { run } = record
  if (run?.ending !== undefined) {
    return ['next: nothing to do, the next request or lineclear sweep ends it and frees the key']
  }
  if (run === undefined || runLeaseUntil(run) > now) return []
  if (run.giveUpAt <= now) {
    return [
      'next: its time limit is exhausted. lineclear sweep frees the key, and keeps the dead request for a redrive',
    ]
  }
  const open = [...run.stages].filter(([, entry]) => !isAtEnd(entry))
  return open.length === 0
    ? []
    : [
        `next: nothing to do, its messages continue it. If they are gone: lineclear flow reset ${shellWord(id)}`,
        'nothing runs a run that was reset: if it is still wanted, start it again under another id',
      ]
}

/**
 * @param item the dead run's own item
 * @param homeQueue its dead letter is on this queue; undefined: not known
 */
export function suggestForDeadRun(
  item: Item,
  id: string,
  request: string,
  homeQueue?: string,
): readonly string[] {
  const { undo, reopened } = item
  if (undo === 'undone') return ['closed: its effects are undone, and it cannot be redriven']
  if (undo !== undefined) {
    return [
      'next: nothing to do, its effects are being undone, and it cannot be redriven. If the undo was dead-lettered, redrive that',
    ]
  }
  // Not in the index: it was redriven and has ended, or `flow forget` has closed it.
  if (item['statusShard'] === undefined) {
    return ['closed: it was redriven and has ended, or was closed by flow forget']
  }
  const canUndo = item['ending'] === 'dead' && reopened !== 'ended'
  const reason = deadReasonOf(item)
  return [
    'a redrive continues it where it died, unless a newer request has started since',
    ...adviceLines({ reason, queue: homeQueue, by: { id: request } }),
    ...(canUndo
      ? [`to undo what it has done: lineclear flow undo ${positionalWords(id, request)}`]
      : []),
    `if it must not run any more: lineclear flow forget ${positionalWords(id, request)}`,
  ]
}

function deadReasonOf(item: Item): string {
  const dead = [...(readStages(item)?.values() ?? [])].find(({ status }) => status === 'dead')
  return dead?.status === 'dead' ? dead.reason : 'exhausted'
}

/** A timeout is late: its message is hidden on the queue, or was lost, milliseconds. */
const GRACE = 2 * 60_000

export function suggestForAwaiting(
  { joinedBy, until }: Awaiting,
  { id, step, externalId }: { id: string; step: string; externalId: string | undefined },
  now: number,
): readonly string[] {
  if (joinedBy !== undefined) {
    return [
      `if its handler has died, and another answer is right: lineclear awaits reopen ${shellWord(id)} ${shellWord(step)}`,
    ]
  }
  return [
    until + GRACE < now
      ? 'next: its timeout was lost: lineclear sweep --apply continues the flow with onTimeout. By hand:'
      : 'next: nothing to do, its answer or its timeout continues the flow. By hand:',
    `if the answer is known: lineclear awaits complete ${shellWord(id)} ${shellWord(step)} --answer JSON, where JSON is what the outside system would send, with the external id${externalId === undefined ? '' : ` ${externalId}`} in it`,
    `if no answer will come: lineclear awaits fail ${shellWord(id)} ${shellWord(step)}`,
  ]
}

export function suggestForDelayed({ status }: Delayed, id: string): readonly string[] {
  if (status !== 'due') return []
  return [
    'next: nothing to do, the sweeper sends it',
    `if it must not be sent: lineclear delays void ${shellWord(id)}`,
  ]
}
