// @acts

import { mapInOrder } from '../../../library/entries/sweeper/due/concurrency.ts'
import type { MappingSwitch } from '../../../library/entries/sweeper/pause/applyPause.ts'
import type { PausedNames, Pause } from '../../../library/entries/sweeper/pause/pauseRow.ts'

/** Also finds event source mappings, and the tags of their functions. */
export interface MappingClient extends MappingSwitch {
  getEventSourceMapping(input: { UUID: string }): Promise<DescribedMapping>
  listEventSourceMappings(input: {
    EventSourceArn?: string
    FunctionName?: string
    Marker?: string
  }): Promise<{
    readonly EventSourceMappings?: readonly DescribedMapping[] | undefined
    readonly NextMarker?: string | undefined
  }>
  listTags(input: {
    Resource: string
  }): Promise<{ readonly Tags?: Readonly<Record<string, string>> | undefined }>
}

export interface DescribedMapping {
  readonly UUID?: string | undefined
  readonly EventSourceArn?: string | undefined
  readonly FunctionArn?: string | undefined
  readonly State?: string | undefined
  readonly LastProcessingResult?: string | undefined
  readonly LastModified?: Date | undefined
}

export interface PauseSelection {
  readonly by: 'mapping' | 'queue' | 'function' | keyof PausedNames
  /** What is selected; a queue by its ARN. */
  readonly value: string
}

export interface FoundMapping extends Pick<Pause, 'mapping' | 'queue' | 'function' | 'names'> {
  /** As Lambda says: `Enabled`, `Disabling`, …. */
  readonly state: string
}

/**
 * The mappings of the selection, with the tags of their functions. By a tag all mappings of the account and Region are listed
 * (`lambda:ListEventSourceMappings`, 100 in a call) and the tags of each function are read (`lambda:ListTags`).
 * @throws what the client throws
 */
export async function findMappings(
  lambda: MappingClient,
  selection: PauseSelection,
): Promise<readonly FoundMapping[]> {
  const { by, value } = selection
  const some = async (described: Promise<readonly DescribedMapping[]>) =>
    withTags(lambda, await described, 'optional')
  switch (by) {
    case 'mapping':
      return some(orNone(async () => [await lambda.getEventSourceMapping({ UUID: value })]))
    case 'queue':
      return some(listMappings(lambda, { EventSourceArn: value }))
    case 'function':
      return some(orNone(async () => listMappings(lambda, { FunctionName: value })))
    default: {
      const all = await withTags(lambda, await listMappings(lambda), 'required')
      return all.filter(({ names }) => isNamed(names, by, value))
    }
  }
}

/** Whether a function with these tags is selected; of several dependencies one is enough. */
export function isNamed(names: PausedNames, by: keyof PausedNames, value: string): boolean {
  const given = names[by]
  if (given === undefined) return false
  return by === 'dependency' ? given.split(/\s+/).includes(value) : given === value
}

/** What does not exist matches nothing. */
async function orNone(
  read: () => Promise<readonly DescribedMapping[]>,
): Promise<readonly DescribedMapping[]> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceNotFoundException') return []
    throw error
  }
}

/** @throws what the client throws */
export async function listMappings(
  lambda: MappingClient,
  of: { EventSourceArn?: string; FunctionName?: string } = {},
): Promise<readonly DescribedMapping[]> {
  const found: DescribedMapping[] = []
  let next: string | undefined
  do {
    const from = next === undefined ? {} : { Marker: next }
    const page = await lambda.listEventSourceMappings({ ...of, ...from })
    found.push(...(page.EventSourceMappings ?? []))
    next = page.NextMarker
  } while (next !== undefined && next !== '')
  return found
}

const QUEUE = /^arn:[\w-]+:sqs:/

async function withTags(
  lambda: MappingClient,
  described: readonly DescribedMapping[],
  tags: 'required' | 'optional',
): Promise<readonly FoundMapping[]> {
  const mappings = described.filter(({ EventSourceArn = '' }) => QUEUE.test(EventSourceArn))
  const functions = [...new Set(mappings.map(({ FunctionArn = '' }) => unqualified(FunctionArn)))]
  const read = async (each: string): Promise<PausedNames> => namesOf(lambda, each, tags)
  const names = new Map<string, PausedNames>()
  for await (const [each, found] of mapInOrder(functions, read)) names.set(each, found)
  return mappings
    .map(({ UUID = '', EventSourceArn = '', FunctionArn = '', State = 'unknown' }) => ({
      mapping: UUID,
      queue: EventSourceArn,
      function: FunctionArn,
      state: State,
      names: names.get(unqualified(FunctionArn)) ?? {},
    }))
    .toSorted((one, other) => (one.mapping < other.mapping ? -1 : 1))
}

async function namesOf(
  lambda: MappingClient,
  arn: string,
  tags: 'required' | 'optional',
): Promise<PausedNames> {
  try {
    const { Tags = {} } = await lambda.listTags({ Resource: arn })
    const flow = Tags['lineclear:flow']
    const stage = Tags['lineclear:stage']
    const consumer = flow === undefined || stage === undefined ? undefined : `${flow}.${stage}`
    return {
      consumer: Tags['lineclear:consumer'] ?? consumer,
      flow,
      dependency: Tags['lineclear:dependency'],
    }
  } catch (error) {
    if (tags === 'required') throw error
    return {}
  }
}

/** Tags belong to a function, not to its versions and aliases. */
function unqualified(arn: string): string {
  return arn.split(':').slice(0, 7).join(':')
}

/**
 * What happens to one mapping. `pause`: it is disabled. `change`: it is paused already, and gets another end and reason. `leave`:
 * nothing is to be done, or may be. `unsettled`: Lambda is changing it, so that it is not known whether it is enabled.
 */
export interface PauseVerdict {
  readonly kind: 'pause' | 'change' | 'leave' | 'unsettled'
  readonly because: string
}

/** Only what was enabled is paused: a mapping that was disabled before must stay disabled when the pause ends. */
export function decidePause(mapping: FoundMapping, pause: Pause | undefined): PauseVerdict {
  const { state } = mapping
  if (state === 'Deleting') return { kind: 'leave', because: 'it is being deleted' }
  if (pause !== undefined) return { kind: 'change', because: describe(pause, state) }
  switch (state) {
    case 'Enabled':
    case 'Enabling':
      return { kind: 'pause', because: 'it is enabled' }
    case 'Disabled':
    case 'Disabling':
      return {
        kind: 'leave',
        because: 'it was disabled elsewhere: it is not paused, and no resume will enable it',
      }
    default:
      return { kind: 'unsettled', because: `Lambda shows it as ${state}` }
  }
}

function describe({ by, state }: Pause, now: string): string {
  if (state === 'pausing') return `a pause by ${by} was begun and not finished`
  if (state === 'resuming') return 'a resume was begun and not finished'
  return now.startsWith('Enabl')
    ? `${by} has paused it, and it was enabled elsewhere since: it is disabled again`
    : `${by} has paused it: this end and reason replace theirs`
}
