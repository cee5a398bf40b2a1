import type { Delayed } from '../../../delay/delayedRow.ts'
import type { Awaiting } from '../../../claim/awaiting/awaiting.ts'
import type { Token } from '../../../claim/token/token.ts'
import { isAtEnd } from '../../../claim/stage/stageEntry.ts'
import type { StageRecord } from '../../../claim/stage/stageRecord.ts'
import type { Item } from '../../../store/store.ts'
import { isIdempotencyKey, splitId } from '../../address.ts'
import { optionWord, positionalWords, shellWord } from '../text/commandLine.ts'
import { deadRecordOf, type KeptRecord, recordUndoId } from '../../../claim/token/deadRecord.ts'
import { UNDO_SUFFIX } from '../../../claim/token/deadRecord.ts'
import { unknownCalls } from './describeToken.ts'
import { runLeaseUntil } from '../item/task.ts'

/** The commands that may help, each with the condition under which it is right. */
export function suggestForToken(token: Token, id: string, now: number): readonly string[] {
  const { status, leaseUntil } = token
  if (status === 'complete' || status === 'undoing' || status === 'undone') return []
  if (isIdempotencyKey(token.pk)) return suggestForKey(token, id, now)
  if (status === 'unknown' || status === 'error') {
    const [call] = unknownCalls(token)
    const known =
      call === undefined
        ? []
        : [
            `if the call '${call}' was made and the rest was not: lineclear tokens reopen ${shellWord(id)} ${optionWord('--answer', `${call}=JSON`)}`,
          ]
    return [
      `next: check the outside system. If everything was done: lineclear tokens resolve ${shellWord(id)}`,
      ...known,
      `if it was not done: lineclear tokens release ${[shellWord(id), ...unknownCalls(token).map((name) => optionWord('--not-done', name))].join(' ')}; to run it again: lineclear tokens reopen ${shellWord(id)}`,
      ...(token.death === 0 ? [] : [redriveCommand(splitId(id).rest)]),
    ]
  }
  if (leaseUntil > now || token.notBefore > now)
    return ['next: nothing to do, it continues by itself']
  return [
    `next: if its message is gone, send it again; if it was done: lineclear tokens resolve ${shellWord(id)}`,
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

function suggestForKey({ status, leaseUntil }: Token, id: string, now: number): readonly string[] {
  if (status === 'unknown' || status === 'error') {
    return [
      `next: check the outside system. If it was done: lineclear tokens resolve ${shellWord(id)}`,
      `if nothing was done: lineclear tokens release ${shellWord(id)}; the next call runs the whole section again`,
    ]
  }
  return leaseUntil > now
    ? ['next: nothing to do, a call is running']
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
      ]
}

/** @param item the dead run's own item */
export function suggestForDeadRun(item: Item, id: string, request: string): readonly string[] {
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
  return [
    'a redrive continues it where it died, unless a newer request has started since',
    `next: ${redriveCommand(request)}`,
    ...(canUndo
      ? [`to undo what it has done: lineclear flow undo ${positionalWords(id, request)}`]
      : []),
    `if it must not run any more: lineclear flow forget ${positionalWords(id, request)}`,
  ]
}

function redriveCommand(request: string): string {
  return `after the fix, redrive its dead letter: lineclear dlq redrive QUEUE ${optionWord('--id', request)}`
}

export function suggestForAwaiting(
  { joinedBy }: Awaiting,
  id: string,
  step: string,
): readonly string[] {
  if (joinedBy !== undefined) {
    return [
      `if its handler has died, and another answer is right: lineclear awaits reopen ${shellWord(id)} ${shellWord(step)}`,
    ]
  }
  return [
    'next: nothing to do, its answer or its timeout continues the flow. By hand:',
    `if the answer is known: lineclear awaits complete ${shellWord(id)} ${shellWord(step)} --answer JSON`,
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
