import { knownItem } from '../aws/knownItem.ts'
import {
  awaitingKey,
  readAwaiting,
  stepNameIn,
} from '../../../library/protocol/claim/awaiting/awaiting.ts'
import {
  type DeadRun,
  deadRunKey,
  readDeadRun,
} from '../../../library/protocol/claim/stage/deadRun.ts'
import {
  readStageRecord,
  type StageRecord,
} from '../../../library/protocol/claim/stage/stageRecord.ts'
import { requestIn } from '../../../library/protocol/claim/stage/version.ts'
import { readToken } from '../../../library/protocol/claim/token/token.ts'
import {
  closeDelayed,
  type Delayed,
  readDelayed,
} from '../../../library/protocol/claim/delayed/delayedRow.ts'
import type { TableReader } from '../aws/tableReader.ts'
import type { Item, Store, StoreKey } from '../../../library/protocol/store/store.ts'
import { displayId } from '../text/itemId.ts'
import { damagedItem } from '../../../library/base/format.ts'
import { loadItem } from '../../../library/entries/sweeper/due/listDue.ts'
import { describeDelayed } from '../explain/describeFacts.ts'
import { delayedState } from '../explain/otherState.ts'
import { commandText, decideCommand } from '../item/advise.ts'
import { type Decision, decisionSubject } from '../item/decisions.ts'
import { loadedStep } from './loadedStep.ts'
import { type ChangePlan, noChange, type NoChange, planned } from './applyPlan.ts'
import { type CompletePlan, planComplete, planFail } from './planAwaits.ts'
import { planDropRun, planReset } from './planFlow.ts'
import { planReopenStep } from './planReopenStep.ts'
import {
  isOfToken,
  planOfToken,
  type ReopenOptions,
  type Resolution,
  type TokenDecision,
} from './planToken.ts'

export interface Details extends ReopenOptions, Resolution {
  /** Default: the only one of the flow. */
  readonly step?: string | undefined
  /** The answer to a step, a JSON value. */
  readonly answer?: unknown
  readonly externalId?: string | undefined
  readonly keep?: readonly string[]
  /** For how long a step waits again, milliseconds. Default: a day. */
  readonly for?: number | undefined
  /** A dead request of a flow, or the run whose step it is. Default: the run that has the key, or had it last. */
  readonly request?: string | undefined
}

export interface DecisionTable {
  readonly store: Store
  readonly now: number
  readonly reader: Pick<TableReader, 'partition'>
}

interface Asked {
  readonly pk: string
  readonly word: Decision
}

/** What the decision would change. @throws StoreUnavailableError */
export async function planDecision(
  pk: string,
  word: Decision,
  details: Details,
  table: DecisionTable,
): Promise<ChangePlan | CompletePlan> {
  const asked = { pk, word }
  const subject = decisionSubject(pk)
  if (subject === 'request' && isOfToken(word)) return ofRequest({ pk, word }, details, table)
  if (subject === 'delayed') return ofDelayed(asked, table)
  if (word === 'free' || word === 'drop') return ofRun(asked, details, table)
  return ofStep(asked, details, table)
}

async function ofRequest(
  { pk, word }: Asked & { readonly word: TokenDecision },
  details: Details,
  { store, now }: DecisionTable,
): Promise<ChangePlan> {
  const item = await loadItem(store, { pk, sk: 'token' })
  if (item === undefined) return refused({ pk, word }, 'there is no token with that id', 'missing')
  const token = readable(readToken(item), `the token ${displayId(pk)}`)
  return planOfToken(token, word, details, now)
}

async function ofRun(
  asked: Asked,
  { request }: Details,
  table: DecisionTable,
): Promise<ChangePlan> {
  const { pk, word } = asked
  const { store, now } = table
  if (word === 'drop') {
    return request === undefined
      ? refused(asked, 'say which dead request: --request UNIQUEREQUESTID')
      : ofDeadRun(asked, request, table)
  }
  const record = await loadRecord(store, pk)
  if (record === undefined) return refused(asked, 'the flow has no record of that key', 'missing')
  return planReset(record, now)
}

async function ofDeadRun(
  asked: Asked,
  request: string,
  { store, now }: DecisionTable,
): Promise<ChangePlan> {
  const { pk } = asked
  const key = { pk, sk: 'stage' }
  // Read before the record: a redrive between the two is then seen.
  const item = await loadItem(store, deadRunKey(key, request))
  if (item === undefined) return refused(asked, `no dead request ${request}`, 'missing')
  const deadRun = readable(readDeadRun(item), `the dead request ${request}`)
  return planDropRun({ key, seen: await loadRecord(store, pk) }, deadRun, item, now)
}

async function ofDelayed(asked: Asked, { store, now }: DecisionTable): Promise<ChangePlan> {
  const item = await loadItem(store, { pk: asked.pk, sk: 'later' })
  if (item === undefined)
    return refused(asked, 'there is no delayed message with that id', 'missing')
  return planVoid(readable(readDelayed(item), `the message ${displayId(asked.pk)}`), now)
}

async function ofStep(
  asked: Asked,
  { step, request, answer, externalId, keep = [], for: wait = DAY }: Details,
  { store, now, reader }: DecisionTable,
): Promise<ChangePlan | CompletePlan> {
  const { pk, word } = asked
  const steps = step === undefined ? stepsIn((await reader.partition(pk)).map(knownItem)) : [step]
  const [name = '', ...others] = steps
  if (others.length > 0) {
    return refused(asked, `it has several steps: say --step ${steps.join(' or --step ')}`)
  }
  const found = await loadStep(store, pk, name, request)
  if (found === undefined) {
    const what = name === '' ? 'any step' : `a step '${name}'`
    const none = refused(asked, `no run of that key waits in ${what}`, 'missing')
    return word === 'answer' ? { ...none, receipt: 'unknown' } : none
  }
  if (word === 'answer') return planComplete(found, answer, externalId, now)
  if (word === 'timeout') return planFail(found, now)
  // Read after the step: it shows that no handler can store more.
  const siblings = (await reader.partition(pk)).map(knownItem)
  return planReopenStep(found, { externalId, keep, wait, siblings }, now)
}

const DAY = 86_400_000

/** Names of steps that wait, or have waited. */
export function stepsIn(items: readonly Item[]): readonly string[] {
  return [...new Set(items.flatMap((item) => readAwaiting(item)?.key ?? []).map(stepNameIn))]
}

async function loadStep(store: Store, pk: string, step: string, request: string | undefined) {
  const record = await loadRecord(store, pk)
  const whose = request ?? (record && lastRequestOf(record))
  if (whose === undefined) return undefined
  const item = await loadItem(store, awaitingKey(pk, step, whose))
  if (item === undefined) return undefined
  const deadRun = await loadDeadRun(store, { pk, sk: 'stage' }, whose)
  return readable(loadedStep(item, record, deadRun), `the step ${step} of ${displayId(pk)}`)
}

/** The request that has the key, or has started last: its run may be dead, and its step reopened. */
function lastRequestOf({ run, newest }: StageRecord): string | undefined {
  return run?.uniqueRequestId ?? (newest === undefined ? undefined : requestIn(newest))
}

async function loadDeadRun(
  store: Store,
  record: StoreKey,
  request: string,
): Promise<DeadRun | undefined> {
  const item = await loadItem(store, deadRunKey(record, request))
  return item && readDeadRun(item)
}

async function loadRecord(store: Store, pk: string): Promise<StageRecord | undefined> {
  const item = await loadItem(store, { pk, sk: 'stage' })
  return item && readable(readStageRecord(item), `the record of ${displayId(pk)}`)
}

function readable<T>(found: T | undefined, what: string): T {
  if (found === undefined) throw damagedItem(what)
  return found
}

function refused({ pk, word }: Asked, because: string, kind: NoChange['kind'] = 'impossible') {
  return noChange(kind, { action: `decide ${word}`, id: displayId(pk), standing: [] }, because)
}

/** The message is never sent. A sweeper that has judged it before may still send it. */
function planVoid(row: Delayed, now: number): ChangePlan {
  const about = {
    action: 'decide drop',
    id: displayId(row.key.pk),
    standing: describeDelayed(delayedState(row, now), now),
  } as const
  if (row.status === 'void') return noChange('nothing', about, 'it is void already')
  if (row.status === 'sent') return noChange('impossible', about, 'it was sent')
  const changes = ['is never sent, also if its handler runs again', ...effectOnRun(row)]
  const updates = [closeDelayed(row, 'void', now)]
  return planned(about, changes, { kind: 'updates', updates })
}

function effectOnRun({ recordPk }: Delayed): readonly string[] {
  if (recordPk === undefined) return ['if it is a retry, its request does not run again by itself']
  const flow = displayId(recordPk)
  const free = commandText(decideCommand(flow, 'free'))
  return [`if it continues the run of ${flow}, that ends at its time limit as dead, or by ${free}`]
}
