import { type Advice } from '../item/advice.ts'
import { ASKED_QUEUE, redriveCommand, type SelectedDeadLetters } from '../item/adviceFor.ts'
import { advise, type AdvisedCommand, type NextStep, nextStep, note } from '../item/advise.ts'
import { errorShape } from '../text/errorShape.ts'
import { logTail } from '../text/logCommand.ts'
import type { LetterRecords, LetterSource } from './letterRecords.ts'
import type { ToldRecord } from './toldRecord.ts'

type Told = Pick<LetterRecords, 'told' | 'notRead'>

/** SQS has moved them, or another program has sent them: these have no error. A program that names no request may have no record. */
export function isWithoutError(reason: string, told: readonly ToldRecord[]): boolean {
  return reason === 'moved' || (reason === 'none' && told.length > 0)
}

interface Quoted {
  readonly record: ToldRecord
  /** How many letters have a record that says the same. */
  readonly number: number
}

/** The record that speaks for the most of them; one with an error before those without. */
function quotedOf(told: readonly ToldRecord[]): Quoted | undefined {
  const known = told.filter(({ error }) => error !== undefined)
  const groups = [...Map.groupBy(known.length > 0 ? known : told, shapeOf).values()]
  const [most = []] = groups.toSorted((one, other) => other.length - one.length)
  const [record] = most
  return record && { record, number: most.length }
}

function shapeOf({ error, alike }: ToldRecord): string {
  return error === undefined ? alike : errorShape(error).shape
}

/**
 * What the attempts of those have met stands in their records, if they were claimed.
 * @param count of the letters, of which each may have another record
 */
export function whyWithoutError({ told, notRead }: Told, count: number): string {
  const quoted = quotedOf(told)
  if (quoted === undefined) return notRead > 0 ? NOT_READ : NOT_FOUND
  const { record, number } = quoted
  const { id, error, state } = record
  const says = error === undefined ? `has no error: ${state}` : `says: ${error.slice(0, SHOWN)}`
  const of = number < count ? `${number} of ${count}: ` : ''
  const others = told.length > number ? '; other records say otherwise' : ''
  const rest =
    told.length < count
      ? `; of ${count - told.length} why is not known here: no record ${notRead > 0 ? 'was read' : 'was found'}`
      : ''
  return `${of}its record ${id} ${says}${others}${rest}`
}

const NOT_FOUND =
  'why is not known here: it has no error, and no record of it was found. It was throttled, killed or cut off before it was claimed, or another name claims it'
const NOT_READ =
  'why is not known here: it has no error, and whether it has a record was not read here: that is denied, or a newer version has written it'

/** Characters of an error that no group is named after. */
const SHOWN = 300

interface WithoutError extends SelectedDeadLetters, Pick<LetterRecords, 'told' | 'sources'> {
  readonly count: number
  /** Id of one of them. */
  readonly example: string
}

/** A redrive first only where the error of all is known; else what is to be found out comes before. */
export function adviseWithoutError({
  told,
  sources,
  count,
  example,
  ...letters
}: WithoutError): NextStep {
  const redrive: AdvisedCommand = redriveCommand(letters)
  const quoted = quotedOf(told)
  if (quoted?.record.error !== undefined && quoted.number >= count) {
    const beside = [explained(quoted.record.id, 'what it has done: '), ...movedEarly(sources, '; ')]
    return nextStep(redrive, beside, 'after the fix, redrive them: ')
  }
  const explain: AdvisedCommand =
    quoted === undefined
      ? { action: 'explain', positionals: { id: example }, options: { scan: true } }
      : { action: 'explain', positionals: { id: quoted.record.id } }
  return nextStep(explain, [
    note(`the log of its function: ${logTail(onlyOf(sources)?.functions[0])}`),
    ...movedEarly(sources, '; '),
    advise('after the fix, redrive them: ', redrive, { joined: '; ' }),
  ])
}

function explained(id: string, before: string): Advice {
  return advise(before, { action: 'explain', positionals: { id } })
}

function onlyOf(sources: readonly LetterSource[]): LetterSource | undefined {
  return sources.length === 1 ? sources[0] : undefined
}

function movedEarly(sources: readonly LetterSource[], joined: Advice['joined']): readonly Advice[] {
  if (sources.length === 0) return []
  const queue = onlyOf(sources)?.queue ?? ASKED_QUEUE
  const doctor: AdvisedCommand = { action: 'doctor', options: { queue } }
  return [advise('whether its queue moves messages too early: ', doctor, { joined })]
}
