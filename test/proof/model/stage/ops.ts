import { awaitingKey } from '../../../../src/library/protocol/claim/awaiting/awaiting.ts'
import { answerItem, answerKey } from '../../../../src/library/protocol/claim/stage/heldStage.ts'
import { type HeldStage } from '../../../../src/library/protocol/claim/stage/stageOwnedBy.ts'
import { historyKeys } from '../../../../src/library/protocol/claim/stage/requestHistory.ts'
import { KEY, notBeforeOf, type Scene } from './act.ts'
import { newStep, newWaiter } from './awaits.ts'
import type { Op } from './op.ts'
import type { Micro } from './pc.ts'
import type { Job, Message, Worker } from './state.ts'

/** What the invocation asks for next; undefined when it is at its end. */
export function opOf(scene: Scene, worker: Worker): Op | undefined {
  const { pc, job } = worker
  const { protocol } = scene
  switch (pc.at) {
    case 'claim':
      return pc.write.kind === 'create'
        ? { op: 'create', label: LABELS[pc.verdict], items: [pc.write.item] }
        : {
            op: 'update',
            label: LABELS[pc.verdict],
            update: pc.write.update,
            report: pc.write.report,
          }
    case 'lookUp':
      return { op: 'read', label: 'looks it up', keys: historyKeys(KEY, job.uid) }
    case 'drop':
      return { op: 'update', label: 'records the refusal', update: pc.update }
    case 'wait':
      return { op: 'update', label: 'says that it waits', update: pc.update }
    case 'refuse':
      return letterOf(job, pc.death)
    case 'run':
      return opOfStep(scene, worker, pc.held, pc.steps[0])
    case 'resend': {
      const update = protocol.scheduleResend(pc.held, pc.next, notBeforeOf(worker))
      return { op: 'update', label: `writes resend ${pc.next}`, update }
    }
    case 'copy':
      return { op: 'send', id: '', message: messageOf(begunIn(job, pc.held), pc.next) }
    case 'confirm': {
      const update = protocol.confirmResend(pc.held, pc.next, notBeforeOf(worker))
      return { op: 'update', label: 'confirms the copy', update }
    }
    case 'die': {
      const update = protocol.startDeadLettering(pc.held, pc.unknown ? 'unknown' : 'exhausted')
      return { op: 'update', label: 'is dying', update }
    }
    case 'deadLetter':
      return letterOf(begunIn(job, pc.held), pc.held.record.epoch)
    case 'earlyDeadLetter':
      return letterOf(job, pc.death)
    case 'leave':
    case 'end':
      return pc.todo[0]
    case 'abandon':
      return { op: 'update', label: 'abandons it', update: pc.update }
    case 'answer': {
      const key = awaitingKey(pc.waiter.recordPk, job.stage, pc.waiter.uniqueRequestId)
      return { op: 'read', label: 'reads the step', keys: [key] }
    }
    case 'accept':
      return { op: 'update', label: 'accepts the answer', update: pc.completion.update }
    case 'expire':
      return { op: 'update', label: 'expires the step', update: pc.update }
    case 'ended':
      return undefined
  }
}

const LABELS = {
  start: 'starts',
  begin: 'begins',
  takeOver: 'takes over',
  deadLetter: 'takes over, to bury',
  reopen: 'reopens',
  revive: 'revives',
} as const

/** A message of the first stage carries its run from then on. */
function begunIn(job: Job, { record }: Pick<HeldStage, 'record'>): Job {
  return job.epoch === 0 ? { ...job, epoch: record.epoch } : job
}

function letterOf(job: Job, death: number): Op {
  const { uid, stage, epoch, after } = job
  return { op: 'deadLetter', deadLetter: { uid, stage, epoch, after, death } }
}

function messageOf(job: Job, resendNumber: number): Omit<Message, 'id' | 'left' | 'holder'> {
  return { ...job, kind: 'stage', resendNumber, externalId: '', answer: '' }
}

function opOfStep(
  scene: Scene,
  worker: Worker,
  held: HeldStage,
  step: Micro | undefined,
): Op | undefined {
  const { protocol } = scene
  const { job } = worker
  switch (step?.do) {
    case undefined:
      return undefined
    case 'effect':
      return { op: 'effect', name: step.name, update: protocol.addEffect(held, step.name) }
    case 'send': {
      const { uid } = job
      const { epoch } = held.record
      const next: Job = {
        uid,
        stage: step.to,
        epoch,
        after: job.stage,
        resendNumber: 0,
        death: undefined,
      }
      return { op: 'send', id: messageId(scene, worker, held), message: messageOf(next, 0) }
    }
    case 'begin':
      return { op: 'read', label: 'looks for the answer', keys: [answerKey(held, step.name)] }
    case 'start': {
      const update = protocol.markStarted(held, step.name, step.nth)
      return { op: 'update', label: `notes START of ${step.name}`, update }
    }
    case 'call':
      return { op: 'call', name: step.name }
    case 'store':
      return {
        op: 'create',
        label: 'stores the answer',
        items: [answerItem(held, step.name, worker.id, 0)],
      }
    case 'save':
      return step.update === undefined
        ? { op: 'create', label: 'saves the step', items: [newStep(protocol, held, step)] }
        : { op: 'update', label: 'renews the step', update: step.update }
    case 'list':
      return step.update === undefined
        ? { op: 'create', label: 'lists itself', items: [newWaiter(protocol, held, step)] }
        : { op: 'update', label: 'lists itself', update: step.update }
    case 'ask':
      return { op: 'ask', externalId: step.id }
  }
}

function messageId({ protocol }: Scene, { id }: Worker, { record }: HeldStage): string {
  switch (protocol.recipe.ids) {
    case 'stable':
      return 'stable'
    case 'new in each epoch':
      return String(record.epoch)
    case 'new in each attempt':
      return id
  }
}
