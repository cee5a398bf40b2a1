import { readAwaiting, stepNameIn } from '../../../claim/awaiting/awaiting.ts'
import { readDeadRun } from '../../../claim/stage/deadRun.ts'
import { readToken } from '../../../claim/token/token.ts'
import { isDelayedKey } from '../../../features/delay/delayedRow.ts'
import type { TableReader } from '../../../store/dynamodb/dynamoDbReader.ts'
import type { Item, Store } from '../../../store/store.ts'
import { displayId } from '../../../sweeper/address.ts'
import { unknownOutcomes } from '../explain/tokenState.ts'
import type { StoredRequest } from '../explain/readRequest.ts'
import { type Command, decideCommand } from '../item/advise.ts'
import * as lookUp from './lookUp.ts'
import { type Decision, DECISIONS, decisionsOf, fits, type Subject } from './decisions.ts'
import type { CompletePlan } from './planAwaits.ts'
import type { ReopenOptions, Resolution } from './planToken.ts'
import { type ChangePlan, noChange, type NoChange } from './plan.ts'

/** What an operator may say beside the decision. */
export interface Details extends Required<ReopenOptions> {
  readonly resolution: Resolution
  readonly step: string | undefined
  readonly answer: unknown
  readonly externalId: string | undefined
  readonly keep: readonly string[]
  /** For how long a step waits again, milliseconds. */
  readonly wait: number
  /** A dead request of a flow, or the run whose step it is. */
  readonly request: string | undefined
}

interface Table {
  readonly store: Store
  readonly reader: TableReader
  readonly now: number
}

/** One item, or a flow's key, that an id names. */
export interface Found extends StoredRequest {
  readonly subject: Subject
}

/** What of the stored items can be decided about. */
export function subjectsOf(found: readonly StoredRequest[]): readonly Found[] {
  return found.flatMap((each) => {
    const subject = subjectOf(each.pk)
    return subject === undefined ? [] : { ...each, subject }
  })
}

function subjectOf(pk: string): Subject | undefined {
  if (isDelayedKey(pk)) return 'delayed'
  if (pk.startsWith('flow#')) return 'flow'
  return pk.startsWith('lock#') || pk.startsWith('key#') ? 'request' : undefined
}

/** @returns the one that the decision is about, or why there is none */
export function chooseSubject(
  id: string,
  word: Decision,
  found: readonly StoredRequest[],
): Found | NoChange {
  const about = { action: `decide ${word}`, id, standing: [] } as const
  if (found.length === 0) return noChange('missing', about, 'nothing has that id')
  const subjects = subjectsOf(found)
  const [one, other] = subjects.filter(({ subject }) => fits(word, subject))
  if (other !== undefined) {
    const names = subjects.map(({ pk }) => pk).join(' or ')
    return noChange('impossible', about, `several items have that id: name one of them, ${names}`)
  }
  if (one !== undefined) return one
  const fitting = [...new Set(subjects.flatMap(({ subject }) => decisionsOf(subject)))]
  const because =
    fitting.length === 0
      ? 'there is nothing to decide about it: it continues by itself'
      : `'${word}' is no decision about it: there are ${fitting.join(', ')}`
  return noChange('impossible', about, because)
}

/** What the decision would change. @throws StoreUnavailableError */
export async function planDecision(
  { pk, subject, items }: Found,
  word: Decision,
  details: Details,
  table: Table,
): Promise<ChangePlan | CompletePlan> {
  const { notDone, request } = details
  switch (word) {
    case 'done':
      return lookUp.resolveToken(table, pk, details.resolution)
    case 'free':
      return subject === 'flow'
        ? lookUp.resetFlow(table, pk)
        : lookUp.releaseToken(table, pk, notDone)
    case 'undo':
      if (subject === 'request') return lookUp.undoToken(table, pk)
      return request === undefined
        ? lookUp.resetFlow(table, pk, true)
        : lookUp.undoDead(table, pk, request)
    case 'drop':
      if (subject === 'delayed') return lookUp.voidDelayed(table, pk)
      return request === undefined
        ? refused(pk, word, 'say which dead request: --request UNIQUEREQUESTID')
        : lookUp.forgetDead(table, pk, request)
    case 'again':
      return subject === 'request'
        ? lookUp.reopenToken(table, pk, details)
        : planStep(pk, items, word, details, table)
    case 'answer':
    case 'timeout':
      return planStep(pk, items, word, details, table)
  }
}

async function planStep(
  pk: string,
  items: readonly Item[],
  word: 'answer' | 'timeout' | 'again',
  details: Details,
  table: Table,
): Promise<ChangePlan | CompletePlan> {
  const steps = stepsOf(items)
  const [step, ...others] = details.step === undefined ? steps : [details.step]
  if (step === undefined) return refused(pk, word, 'no step of it waits, or has waited')
  if (others.length > 0) {
    return refused(pk, word, `it has several steps: say --step ${steps.join(' or --step ')}`)
  }
  const awaited = { id: pk, step, uniqueRequestId: details.request }
  if (word === 'timeout') return lookUp.failStep(table, awaited)
  if (word === 'again') return lookUp.reopenStep(table, awaited, details)
  const { answer: payload, externalId } = details
  return lookUp.completeStep(table, awaited, { payload, externalId })
}

function refused(pk: string, word: Decision, because: string): NoChange {
  const about = { action: `decide ${word}`, id: displayId(pk), standing: [] } as const
  return noChange('impossible', about, because)
}

/** A decision that is possible now. */
export interface Choice {
  readonly command: Command
  /** What would become of the item. */
  readonly changes: readonly string[]
}

/** What is decided where nothing else was said. */
export const NO_DETAILS: Details = {
  resolution: { as: 'done' },
  answers: new Map<string, unknown>(),
  notDone: [],
  step: undefined,
  answer: undefined,
  externalId: undefined,
  keep: [],
  wait: 86_400_000,
  request: undefined,
}

/** The decisions that are possible now. @throws StoreUnavailableError */
export async function choicesOn(found: Found, table: Table): Promise<readonly Choice[]> {
  const tried = candidatesOf(found).map(async (each): Promise<readonly Choice[]> => {
    const { word, details = {} } = each
    const plan = await planDecision(found, word, { ...NO_DETAILS, ...details }, table)
    if (plan.kind !== 'change') return []
    const command = (of: Decision, given: Command['options']): Command =>
      decideCommand(plan.id, of, given)
    const choice = { command: command(word, details), changes: plan.changes }
    // What is answered is not known yet, and a step that can time out can be answered.
    const answer = { ...details, answer: { ask: 'answer', word: 'JSON', before: '' } } as const
    const answering = { command: command('answer', answer), changes: [DECISIONS.answer.does] }
    return word === 'timeout' ? [answering, choice] : [choice]
  })
  return (await Promise.all(tried)).flat()
}

interface Candidate {
  readonly word: Decision
  readonly details?: { readonly [N in 'notDone' | 'request' | 'step']?: NonNullable<Details[N]> }
}

function candidatesOf({ subject, items }: Found): readonly Candidate[] {
  if (subject === 'delayed') return [{ word: 'drop' }]
  if (subject === 'request') {
    const token = items[0] && readToken(items[0])
    const notDone = token === undefined ? [] : unknownOutcomes(token)
    return [
      { word: 'done' },
      { word: 'free', details: { notDone } },
      { word: 'again' },
      { word: 'undo' },
    ]
  }
  const dead = items.filter(({ sk }) => typeof sk === 'string' && sk.startsWith('dead#'))
  const requests = dead.flatMap((item) => readDeadRun(item)?.uniqueRequestId ?? [])
  return [
    { word: 'free' },
    { word: 'undo' },
    ...requests.flatMap((request): readonly Candidate[] => [
      { word: 'undo', details: { request } },
      { word: 'drop', details: { request } },
    ]),
    ...stepsOf(items).flatMap((step): readonly Candidate[] => [
      { word: 'timeout', details: { step } },
      { word: 'again', details: { step } },
    ]),
  ]
}

/** Names of steps that wait, or have waited. */
function stepsOf(items: readonly Item[]): readonly string[] {
  return [...new Set(items.flatMap((item) => readAwaiting(item)?.key ?? []).map(stepNameIn))]
}
