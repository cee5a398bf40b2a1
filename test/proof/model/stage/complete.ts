import {
  type Awaiting,
  readAwaiting,
} from '../../../../src/library/protocol/claim/awaiting/awaiting.ts'
import { readWaiters } from '../../../../src/library/protocol/claim/awaiting/waitingRuns.ts'
import type { Item } from '../../../../src/library/protocol/store/store.ts'
import { acknowledged, AGE, decide, NOON, recordIn, type Scene, stays } from './act.ts'
import { listKey } from './awaits.ts'
import type { Answer } from './op.ts'
import type { Pc } from './pc.ts'
import type { Scenario } from './scenario.ts'
import { addressOf, type Message, type Worker } from './state.ts'

type Asking = Extract<Pc, { at: 'answer' | 'accept' | 'expire' }>

/** An answer without ids of Lineclear: the waiters of its external id say which run it is for. */
export function findWaiters(scene: Scene, worker: Worker, message: Message): Worker {
  const item = scene.state.items.get(
    addressOf(listKey({ name: message.stage, id: message.externalId })),
  )
  const waiters = readWaiters(item)
  const [first, ...rest] = waiters
  if (first !== undefined) return { ...worker, rest, pc: { at: 'answer', waiter: first } }
  const early = scene.protocol.decideEarly({ sentAt: NOON, grace: AGE }, scene.state.clock)
  return { ...worker, pc: early.kind === 'early' ? stays : acknowledged }
}

export function afterAnswer(scene: Scene, worker: Worker, pc: Asking, answer: Answer): Worker {
  if (answer.kind === 'applied') {
    const fills = pc.at === 'expire' || (pc.at === 'accept' && pc.completion.fills)
    return fills ? goOn(scene, worker, pc, answer.item) : { ...worker, pc: acknowledged }
  }
  const item = answer.kind === 'found' ? answer.items[0] : itemIn(answer)
  return judge(scene, worker, pc, item)
}

function itemIn(answer: Answer): Item | undefined {
  return answer.kind === 'refused' ? answer.item : undefined
}

function judge(scene: Scene, worker: Worker, pc: Asking, item: Item | undefined): Worker {
  const awaiting = item && readAwaiting(item)
  return worker.said?.kind === 'timeout'
    ? judgeTimeout(scene, worker, pc, awaiting, item)
    : judgeAnswer(scene, worker, pc, awaiting, item, worker.said?.answer ?? '')
}

function judgeAnswer(
  scene: Scene,
  worker: Worker,
  { waiter }: Asking,
  awaiting: Awaiting | undefined,
  item: Item | undefined,
  hash: string,
): Worker {
  const { stepId } = waiter
  const completion = scene.protocol.decideAnswer(awaiting, { stepId, hash })
  switch (completion.kind) {
    case 'accept':
      return { ...worker, pc: { at: 'accept', waiter, completion } }
    case 'continue':
      return goOn(scene, worker, { at: 'answer', waiter }, item)
    case 'over':
      return { ...worker, pc: acknowledged }
  }
}

function judgeTimeout(
  scene: Scene,
  worker: Worker,
  { waiter }: Asking,
  awaiting: Awaiting | undefined,
  item: Item | undefined,
): Worker {
  const timeout = scene.protocol.decideTimeout(awaiting, scene.state.clock)
  switch (timeout.kind) {
    case 'expire':
      return { ...worker, pc: { at: 'expire', waiter, update: timeout.update } }
    case 'continue':
      return goOn(scene, worker, { at: 'answer', waiter }, item)
    case 'early':
      return { ...worker, pc: stays }
    case 'over':
      return { ...worker, pc: acknowledged }
  }
}

/** The stage that the answer leads to is claimed like any other of the run that waits. */
function goOn(scene: Scene, worker: Worker, { waiter }: Asking, item: Item | undefined): Worker {
  const awaiting = item && readAwaiting(item)
  const { job } = worker
  const waiting: Worker = {
    ...worker,
    job: {
      ...job,
      uid: waiter.uniqueRequestId,
      epoch: awaiting?.epoch ?? 0,
      after: askerOf(scene.scenario, job.stage),
    },
  }
  return { ...waiting, pc: decide(scene, waiting, recordIn(scene.state)) }
}

/** The stage that waits: it is stored with the step. */
function askerOf({ stages }: Scenario, name: string): string {
  const asker = Object.entries(stages).find(([, steps]) =>
    steps.some((step) => 'awaits' in step && step.awaits === name),
  )
  return asker?.[0] ?? ''
}
