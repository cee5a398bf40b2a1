import { type Awaiting, stepNameIn } from '../../../library/protocol/claim/awaiting/awaiting.ts'
import { letterKeptUntil } from '../../../library/protocol/claim/stage/deadRun.ts'
import {
  hasDeadLetter,
  isAtEnd,
  leaseOf,
  type StageEntry,
} from '../../../library/protocol/claim/stage/stageEntry.ts'
import { readStages, type StageRecord } from '../../../library/protocol/claim/stage/stageRecord.ts'
import type { Item } from '../../../library/protocol/store/store.ts'
import type { Advice } from '../item/advice.ts'
import { adviceFor, discardCommand, redriveCommand } from '../item/adviceFor.ts'
import { advise, decideCommand, note } from '../item/advise.ts'
import { GRACE, runLeaseUntil } from '../item/task.ts'
import { formatRelative, nonEmptyText } from '../text/humanTime.ts'
import { isRunOver, isTimeoutLost } from './stageState.ts'

export function adviseRun({ run }: StageRecord, id: string, now: number): readonly Advice[] {
  if (run === undefined || runLeaseUntil(run) > now) return []
  if (run.giveUpAt <= now) {
    return [
      advise(
        'its time limit is exhausted. ',
        { action: 'sweep', options: { search: true } },
        { after: ' frees the key, and keeps what the request has done', cure: true },
      ),
    ]
  }
  const open = [...run.stages.values()].filter((entry) => !isAtEnd(entry))
  return open.length === 0
    ? []
    : [
        note(continues(open, now), { cure: true }),
        advise('if it is not there any more: ', decideCommand(id, 'free'), { joined: '. ' }),
        note(
          'nothing runs a run that was reset: if it is still wanted, start it again under another id',
        ),
      ]
}

/** The table does not show whether the message is on its queue, so that no run whose attempt was lost is left to itself. */
function continues(open: readonly StageEntry[], now: number): string {
  const due = Math.min(...open.map(dueOf).filter((time) => time > 0))
  if (due > now && due < Infinity)
    return `nothing to do, its retry comes ${formatRelative(due, now)}`
  if (due > now - GRACE) return 'it continues with its next message: see that this is on its queue'
  return `its attempt was lost, or its retry was due, ${formatRelative(due, now)}, and nothing has continued it. It continues if its message is still on its queue, when the visibility timeout is over: look there`
}

function dueOf(entry: StageEntry): number {
  return entry.status === 'retry' ? entry.notBefore : leaseOf(entry)
}

interface AboutDeadRun {
  readonly id: string
  readonly request: string
  /** Its dead letter is on this queue; undefined: not known. */
  readonly homeQueue: string | undefined
  readonly now: number
  /** The step in which it waits again; undefined: in none. */
  readonly reopened?: string | undefined
}

/** @param item the dead run's own item */
export function adviseDeadRun(
  item: Item,
  { id, request, homeQueue, now, reopened: step }: AboutDeadRun,
): readonly Advice[] {
  if (item['statusShard'] === undefined && step !== undefined) {
    return [
      note(`nothing to do, it continues with the next answer of step ${step}, or its timeout`, {
        cure: true,
      }),
      advise(
        'its dead letter has the answer that was given up. To take it off its queue: ',
        discardCommand({ queue: homeQueue, by: { id: request } }),
      ),
    ]
  }
  // Not in the index: it was redriven and has ended, or `decide drop` has closed it.
  if (item['statusShard'] === undefined) {
    return [note('closed: it was redriven and has ended, or was dropped by an operator')]
  }
  if (item['dropped'] !== undefined) {
    const drop = decideCommand(id, 'drop', { request })
    return [
      advise('it was being dropped, and that did not end. Do it again: ', drop, { cure: true }),
    ]
  }
  return [
    ...adviseContinuing(item, now, { queue: homeQueue, by: { id: request } }),
    advise(
      'if it must not run any more, and its failure handler may take back what it made: ',
      decideCommand(id, 'drop', { request }),
    ),
  ]
}

interface SoughtLetter {
  readonly queue: string | undefined
  readonly by: { readonly id: string }
}

function adviseContinuing(item: Item, now: number, where: SoughtLetter): readonly Advice[] {
  const lettered = deadStages(item).find(hasDeadLetter)
  if (lettered === undefined) {
    return adviseLooking(
      'it was given up without a dead letter. A message of it that still arrives becomes one, and its redrive continues the run',
      where,
    )
  }
  if (letterKeptUntil(item) <= now) {
    return adviseLooking('SQS keeps its dead letter no longer, unless that was archived', where)
  }
  return [
    note('a redrive continues it where it died, unless a newer request has started since'),
    ...adviceFor({ reason: lettered.reason, error: nonEmptyText(item['error']), ...where }).advice,
  ]
}

function adviseLooking(because: string, { queue, by }: SoughtLetter): readonly Advice[] {
  const positionals = queue === undefined ? {} : { positionals: { queue } }
  return [
    note(because),
    advise('to look for it: ', { action: 'dlq.peek', ...positionals, options: by }, { cure: true }),
    note('if it is not there, and the request is still wanted: start it again under another id'),
  ]
}

type DeadStage = Extract<StageEntry, { status: 'dead' }>

function deadStages(item: Item): readonly DeadStage[] {
  const entries = [...(readStages(item)?.values() ?? [])]
  return entries.filter((entry): entry is DeadStage => entry.status === 'dead')
}

interface AboutStep extends Pick<AboutDeadRun, 'id' | 'homeQueue' | 'now'> {
  readonly externalId: string | undefined
  readonly siblings: readonly Item[]
}

export function adviseStep(awaiting: Awaiting, about: AboutStep): readonly Advice[] {
  const { id, externalId, now, siblings } = about
  const step = stepNameIn(awaiting.key)
  if (awaiting.joinedBy !== undefined) {
    return [
      advise(
        'if its handler has died, and another answer is right: ',
        decideCommand(id, 'again', { step }),
      ),
    ]
  }
  if (isRunOver(awaiting, siblings)) return adviseOver(awaiting, about)
  return [
    isTimeoutLost(awaiting, now)
      ? advise(
          'its timeout was lost: ',
          { action: 'sweep', last: ['--apply'] },
          { after: ' continues the flow with onTimeout', cure: true, closing: '. By hand:' },
        )
      : note('nothing to do, its answer or its timeout continues the flow', {
          cure: true,
          closing: '. By hand:',
        }),
    advise(
      'if the answer is known: ',
      decideCommand(id, 'answer', {
        step,
        answer: { ask: 'answer', word: 'JSON', before: '' },
      }),
      {
        after: `, where JSON is what the outside system would send, with the external id${externalId === undefined ? '' : ` ${externalId}`} in it`,
      },
    ),
    advise('if no answer will come: ', decideCommand(id, 'timeout', { step })),
  ]
}

/** Its answer would be refused as superseded, and its timeout ignored. */
function adviseOver(
  { uniqueRequestId: id }: Awaiting,
  { homeQueue: queue, now, siblings }: AboutStep,
): readonly Advice[] {
  const dead = siblings.find(({ sk }) => sk === `dead#${id}`)
  if (dead?.['statusShard'] === undefined) {
    return [note('closed: its run is over, and no answer continues it')]
  }
  const because = 'its run is dead, and no answer or timeout continues it'
  return deadStages(dead).some(hasDeadLetter) && letterKeptUntil(dead) > now
    ? [
        advise(
          `${because}. Once the cause is repaired, redrive its dead letter: `,
          redriveCommand({ queue, by: { id } }),
          { cure: true },
        ),
      ]
    : adviseLooking(because, { queue, by: { id } })
}
