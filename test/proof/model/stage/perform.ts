import type { EndReport } from '../../../../src/library/protocol/claim/stage/endReport.ts'
import { effectMark } from '../../../../src/library/protocol/claim/stage/heldStage.ts'
import type { StageEntry } from '../../../../src/library/protocol/claim/stage/stageEntry.ts'
import { readStageRecord } from '../../../../src/library/protocol/claim/stage/stageRecord.ts'
import { withFormat } from '../../../../src/library/protocol/store/format.ts'
import { applyUpdate } from '../../../../src/library/adapters/store/memory/ownItems.ts'
import {
  type Creation,
  type Item,
  type StoreKey,
  type Update,
  hasNoAnswer,
} from '../../../../src/library/protocol/store/store.ts'
import { KEY, readRecord, recordIn } from './act.ts'
import { broken, factOf, type Facts, isNewer, note } from './facts.ts'
import type { Answer, Op } from './op.ts'
import type { Scenario } from './scenario.ts'
import {
  addressOf,
  FORGER,
  type DeadLetter,
  type Message,
  questionOf,
  type State,
  type Worker,
} from './state.ts'
import { watchRecord } from './watchRecord.ts'

export interface Performed {
  readonly state: State
  readonly answer: Answer
}

/** The call takes effect, at once and as a whole. */
export function perform(scenario: Scenario, state: State, by: Worker, op: Op): Performed {
  switch (op.op) {
    case 'create':
      return create(scenario, state, by, op)
    case 'update':
      return update(scenario, state, by, op.update, op.label, op.report)
    case 'report':
      return done({ ...state, facts: watchReport(state.facts, op.report) })
    case 'effect': {
      const before = recordIn(state)
      const performed = update(scenario, state, by, op.update, 'marks')
      if (performed.answer.kind !== 'applied') return performed
      const facts = watchEffect(scenario, performed.state.facts, before, by, op.name)
      return { ...performed, state: { ...performed.state, facts } }
    }
    case 'read': {
      const items = op.keys.map((key) => seen(state, addressOf(key), op.behind === true))
      return { state, answer: { kind: 'found', items } }
    }
    case 'send':
      return done(send(scenario, state, by, op.message, op.id))
    case 'deadLetter':
      return done(sendDeadLetter(state, by, op.deadLetter))
    case 'call':
      return done({ ...state, facts: watchCall(scenario, state.facts, by, op.name) })
    case 'ask': {
      const asked = new Map(state.asked)
      const question = questionOf(op.externalId, by.job.uid)
      asked.set(question, asked.get(question) ?? 0)
      return done({ ...state, asked })
    }
  }
}

function seen({ items, past }: State, address: string, behind: boolean): Item | undefined {
  return behind && past.has(address) ? past.get(address) : items.get(address)
}

function done(state: State): Performed {
  return { state, answer: { kind: 'done' } }
}

function create(
  scenario: Scenario,
  state: State,
  by: Worker,
  { items, label, replaces = false }: Extract<Op, { op: 'create' }>,
): Performed {
  let next = state
  let answer: Answer = { kind: 'done' }
  for (const item of items.map(withFormat)) {
    const standing = replaces ? undefined : next.items.get(addressOf(item))
    answer =
      standing === undefined ? { kind: 'applied', item } : { kind: 'refused', item: standing }
    if (standing === undefined) next = put(scenario, next, by, item, item, label)
  }
  return { state: next, answer }
}

function update(
  scenario: Scenario,
  state: State,
  by: Worker,
  change: Update,
  label: string,
  report?: Creation,
): Performed {
  const standing = state.items.get(addressOf(change.key))
  const outcome = applyUpdate(standing, change)
  if (hasNoAnswer(outcome)) throw outcome.error
  if (outcome.kind === 'refused') return { state, answer: { kind: 'refused', item: standing } }
  const item = outcome.item ?? {}
  const written = put(scenario, state, by, change.key, item, label)
  const seen = label === 'ends it as dropped' ? watchDrop(written.facts, by) : written.facts
  const facts = report === undefined ? seen : watchReport(seen, report)
  return {
    state: { ...written, facts },
    answer: { kind: 'applied', item },
  }
}

function put(
  scenario: Scenario,
  state: State,
  by: Worker,
  key: StoreKey,
  item: Item,
  label: string,
): State {
  const items = new Map(state.items).set(addressOf(key), item)
  const past = new Map(state.past).set(addressOf(key), state.items.get(addressOf(key)))
  if (addressOf(key) !== addressOf(KEY)) return { ...state, items, past }
  if (readStageRecord(item) === undefined)
    return { ...state, facts: broken(state.facts, `U1 the record cannot be read: ${label}`) }
  const change = { before: recordIn(state), after: readRecord(item), by, label, now: state.clock }
  const facts = watchRecord(scenario, state.facts, change)
  return {
    ...state,
    items,
    past,
    facts: label === 'records the refusal' ? dropped(facts, by) : facts,
  }
}

/** What the failure handler will be told, against what has happened. */
function watchReport(facts: Facts, { create }: Creation): Facts {
  const { message } = create
  if (typeof message !== 'string') throw new Error('a report without a message')
  const { body } = JSON.parse(message) as { readonly body: string }
  const { uniqueRequestId: uid, epoch, as, marks = [] } = JSON.parse(body) as EndReport
  const fact = factOf(facts, uid)
  const told = [...new Set([...fact.told, `${epoch} ${as}`])].toSorted()
  const next = note(facts, uid, { told })
  const missing = fact.done.find((mark) => mark.includes(':') && !marks.includes(mark))
  return missing === undefined
    ? next
    : broken(next, `M1 the report of an end lacks what was made: ${uid} ${missing}`)
}

/** From now on no redrive reopens it. */
function watchDrop(facts: Facts, { job: { uid } }: Worker): Facts {
  const { end, badEnds } = factOf(facts, uid)
  // A drop that was killed, or whose answer was lost, is done again.
  if (end === 'reset' && badEnds.some((one) => one.endsWith('dropped'))) return facts
  if (end !== 'dead') return broken(facts, `L2 two ends: ${uid} is dropped, and was ${end}`)
  const epoch = badEnds.findLast((one) => one.endsWith('dead'))?.split(' ')[0]
  return note(facts, uid, { end: 'reset', badEnds: [...badEnds, `${epoch} dropped`].toSorted() })
}

function dropped(facts: Facts, { job }: Worker): Facts {
  const { end } = factOf(facts, job.uid)
  if (end !== '' && end !== 'dropped')
    return broken(facts, `L2 two ends: ${job.uid} was ${end}, and is dropped`)
  return note(facts, job.uid, { end: 'dropped' })
}

function watchEffect(
  scenario: Scenario,
  facts: Facts,
  record: ReturnType<typeof recordIn>,
  by: Worker,
  name: string,
): Facts {
  const mark = effectMark(by.job.stage, name)
  if (by.job.after === FORGER)
    return broken(facts, `V1 a forged message runs: ${by.job.uid} ${mark}`)
  const fact = factOf(facts, by.job.uid)
  const next = note(facts, by.job.uid, { done: [...fact.done, mark].toSorted() })
  const written = watchWrite(scenario, next, record, by, name)
  return fact.done.includes(mark)
    ? broken(written, `E1 effect twice: ${by.job.uid} ${mark}`)
    : written
}

/** @param what is written: a mark belongs to one stage, an object may be written by several. */
function watchWrite(
  scenario: Scenario,
  facts: Facts,
  record: ReturnType<typeof recordIn>,
  by: Worker,
  what: string,
): Facts {
  const { uid, stage } = by.job
  const epoch = by.pc.at === 'run' ? by.pc.held.record.epoch : 0
  const last = facts.writers[what] ?? ''
  const written = { ...facts, writers: { ...facts.writers, [what]: uid } }
  if (record?.run?.uniqueRequestId !== uid || record.epoch !== epoch)
    return broken(written, `S1 stale write: ${uid} ${what}, its run is over`)
  const { stages } = record.run
  const entry = stages.get(stage)
  if (entry?.status !== 'open' || entry.attemptId !== by.id)
    return broken(written, `S2 write by a past holder: ${uid} ${what}`)
  if (scenario.process === 'newest' && isNewer(scenario, last, uid))
    return broken(written, `N1 newest wins: ${uid} overwrites ${what} of ${last}`)
  const next = followersOf(scenario, stage).find((each) => hasRun(stages.get(each)))
  return next === undefined
    ? written
    : broken(written, `S3 a stage writes over what comes after it: ${uid} ${stage}, ${next}`)
}

function hasRun(entry: StageEntry | undefined): boolean {
  return entry?.status === 'open' || entry?.status === 'retry' || entry?.status === 'settled'
}

function followersOf({ stages }: Scenario, stage: string): string[] {
  return (stages[stage] ?? []).flatMap((step) =>
    'send' in step ? [step.send] : 'awaits' in step ? [step.awaits] : [],
  )
}

function watchCall({ stages }: Scenario, facts: Facts, by: Worker, name: string): Facts {
  const { job } = by
  const fact = factOf(facts, job.uid)
  const mark = `${job.stage}?${name}`
  const next = note(facts, job.uid, { done: [...new Set([...fact.done, mark])].toSorted() })
  const once = stages[job.stage]?.some(
    (step) => 'call' in step && step.call === name && step.as === 'stop',
  )
  if (once !== true || !fact.done.includes(mark)) return next
  return broken(next, `C1 a call that must not be repeated is made twice: ${job.uid} ${name}`)
}

function send(
  scenario: Scenario,
  state: State,
  by: Worker,
  message: Omit<Message, 'id' | 'left' | 'holder'>,
  id: string,
): State {
  const whole: Message = {
    ...message,
    id: `@${state.serial}@`,
    left: scenario.deliveries,
    holder: '',
  }
  const next = {
    ...state,
    queue: [...state.queue, whole],
    serial: state.serial + 1,
    copies: state.copies + 1,
  }
  return id === '' ? next : { ...next, facts: watchSend(state.facts, by, message.stage, id) }
}

function watchSend(facts: Facts, { job }: Worker, to: string, id: string): Facts {
  const fact = factOf(facts, job.uid)
  const name = `${job.stage} ${to}`
  const before = fact.sent[name]
  const next = note(facts, job.uid, { sent: { ...fact.sent, [name]: id } })
  if (before === undefined || before === id) return next
  return broken(next, `E2 send under two ids: ${job.uid} from ${job.stage} to ${to}`)
}

/**
 * A second copy of a death that was reported already, or that a redrive has undone, says nothing new: by its epoch it can be
 * distinguished from a dead letter that counts.
 */
function sendDeadLetter(state: State, by: Worker, deadLetter: DeadLetter): State {
  const fact = factOf(state.facts, deadLetter.uid)
  const known = state.deadLetters.some((one) => JSON.stringify(one) === JSON.stringify(deadLetter))
  const entry = recordIn(state)?.run?.stages.get(deadLetter.stage)
  if (known && !(entry?.status === 'dying' && entry.attemptId === by.id)) return state
  const deadLetters = known ? state.deadLetters : [...state.deadLetters, deadLetter]
  if (deadLetter.death === 0) {
    return { ...state, deadLetters, facts: note(state.facts, deadLetter.uid, { reported: true }) }
  }
  const deaths = {
    ...fact.deaths,
    [deadLetter.stage]: Math.max(fact.deaths[deadLetter.stage] ?? 0, deadLetter.death),
  }
  if (deadLetter.death < fact.life)
    return { ...state, deadLetters, facts: note(state.facts, deadLetter.uid, { deaths }) }
  const stages = [...new Set([...fact.deadLetters, deadLetter.stage])].toSorted()
  const facts = note(state.facts, deadLetter.uid, { deadLetters: stages, deaths })
  if (fact.end !== 'completed') return { ...state, deadLetters, facts }
  const bad = `L2 two ends: ${deadLetter.uid} is completed, and dead-lettered`
  return { ...state, deadLetters, facts: broken(facts, bad) }
}
