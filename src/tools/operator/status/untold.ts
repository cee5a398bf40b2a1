import { type Advice } from '../item/advice.ts'
import { redriveCommand, type SelectedDeadLetters } from '../item/adviceFor.ts'
import { advise, type AdvisedCommand, type NextStep, nextStep, note } from '../item/advise.ts'
import { SILENCE } from '../item/silence.ts'
import { errorShape } from '../dlq/errorShape.ts'
import { logTail } from '../text/logCommand.ts'
import { formatRelative } from '../text/humanTime.ts'

/** What the table tells of a dead letter that has no error. */
export interface ToldRecord {
  /** As `explain` takes it. */
  readonly id: string
  readonly error: string | undefined
  readonly attempt: number | undefined
  /** When an attempt began that has not ended, epoch milliseconds. undefined: none, or that is not known. */
  readonly lostAt: number | undefined
}

/** From where SQS has moved them, and which functions read that queue. */
export interface Origin {
  readonly queue: string
  readonly functions: readonly string[]
}

/** SQS has moved them, or another program has sent them: these have no error. A program that names no request may have no record. */
export function isUntold(reason: string, told: readonly ToldRecord[]): boolean {
  return reason === 'moved' || (reason === 'none' && told.length > 0)
}

/** What the attempts of those have met stands in their records, if they were claimed. */
export function whyUntold(told: readonly ToldRecord[], now: number): string {
  const groups = [...Map.groupBy(told.filter(hasError), shapeOf).values()]
  const [most] = groups.toSorted((one, other) => other.length - one.length)
  const [first] = most ?? []
  if (first !== undefined) {
    const others = groups.length === 1 ? '' : ', and other errors'
    return `its record ${first.id} says: ${first.error?.slice(0, SHOWN)}${others}`
  }
  const lost = told.find(({ lostAt }) => lostAt !== undefined)
  if (lost?.lostAt !== undefined) {
    return `its record ${lost.id} has no error: attempt ${lost.attempt} began ${formatRelative(lost.lostAt, now)} and has not ended: it was ${SILENCE}`
  }
  return 'why is not known here: it has no error, and no record of it was found. It was throttled, killed or cut off before it was claimed, or another name claims it'
}

/** Characters of an error that no group is named after. */
const SHOWN = 300

function hasError({ error }: ToldRecord): boolean {
  return error !== undefined
}

function shapeOf({ error = '' }: ToldRecord): string {
  return errorShape(error).shape
}

interface Untold extends SelectedDeadLetters {
  readonly told: readonly ToldRecord[]
  readonly origin: Origin | undefined
  /** Id of one of them. */
  readonly example: string
}

/** A redrive first only where the error is known; else what is to be found out comes before. */
export function adviseUntold({ told, origin, example, ...letters }: Untold): NextStep {
  const redrive: AdvisedCommand = redriveTo(letters, origin)
  const known = told.find(hasError)
  if (known !== undefined) {
    const beside = [explained(known.id, 'what it has done: '), ...movedEarly(origin, '; ')]
    return nextStep(redrive, beside, 'after the fix, redrive them: ')
  }
  const [found] = told
  const explain: AdvisedCommand =
    found === undefined
      ? { action: 'explain', positionals: { id: example }, options: { scan: true } }
      : { action: 'explain', positionals: { id: found.id } }
  return nextStep(explain, [
    note(`the log of its function: ${logTail(origin?.functions[0])}`),
    ...movedEarly(origin, '; '),
    advise('after the fix, redrive them: ', redrive, { joined: '; ' }),
  ])
}

function explained(id: string, before: string): Advice {
  return advise(before, { action: 'explain', positionals: { id } })
}

function movedEarly(origin: Origin | undefined, joined: Advice['joined']): readonly Advice[] {
  if (origin === undefined) return []
  const doctor: AdvisedCommand = { action: 'doctor', options: { queue: origin.queue } }
  return [advise('whether its queue moves messages too early: ', doctor, { joined })]
}

function redriveTo(letters: SelectedDeadLetters, origin: Origin | undefined): AdvisedCommand {
  const redrive = redriveCommand(letters)
  if (origin === undefined) return redrive
  return { ...redrive, options: { ...redrive.options, to: origin.queue } }
}
