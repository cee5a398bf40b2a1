import { versionOf } from '../../../../src/library/protocol/claim/stage/version.ts'
import type { Scenario } from './scenario.ts'

/** What actually happened to one request, whatever the record says. */
export interface Fact {
  readonly end: '' | 'completed' | 'reset' | 'dead' | 'superseded' | 'dropped' | 'coalesced'
  readonly started: boolean
  /** Epoch of its newest run: a redrive begins another. */
  readonly life: number
  /** Effects in the user's tables, and outside calls, by stage and name. */
  readonly done: readonly string[]
  /** Executions of each stage in this life, and claims that a death or a lost answer used up. */
  readonly runs: Readonly<Record<string, number>>
  readonly wasted: Readonly<Record<string, number>>
  /** Ids of sent messages. */
  readonly sent: Readonly<Record<string, string>>
  /** Stages with a dead letter in this life. */
  readonly deadLetters: readonly string[]
  /** The epoch of the newest dead letter of each stage. */
  readonly deaths: Readonly<Record<string, number>>
  /** SQS moved a copy to its own dead-letter queue, or one was refused for its age: an operator sees it. */
  readonly reported: boolean
  /** Its bad ends, by epoch, and those that its failure handler is told of. */
  readonly badEnds: readonly string[]
  readonly told: readonly string[]
  /** The external answer that the stage continued with. */
  readonly heard: Readonly<Record<string, string>>
}

export interface Facts {
  readonly of: Readonly<Record<string, Fact>>
  /** Uid of the newest that ever started. */
  readonly newest: string
  /** The last writer of each effect. */
  readonly writers: Readonly<Record<string, string>>
  readonly bad: string | undefined
}

export function noFacts({ requests }: Scenario): Facts {
  const fact: Fact = {
    end: '',
    started: false,
    life: 0,
    done: [],
    runs: {},
    wasted: {},
    sent: {},
    deadLetters: [],
    deaths: {},
    reported: false,
    badEnds: [],
    told: [],
    heard: {},
  }
  const of = Object.fromEntries(requests.map(({ uid }) => [uid, fact]))
  return { of, newest: '', writers: {}, bad: undefined }
}

export function factOf(facts: Facts, uid: string): Fact {
  const fact = facts.of[uid]
  if (fact === undefined) throw new Error(`${uid} was never sent`)
  return fact
}

export function broken(facts: Facts, bad: string): Facts {
  return facts.bad === undefined ? { ...facts, bad } : facts
}

export function note(facts: Facts, uid: string, more: Partial<Fact>): Facts {
  return { ...facts, of: { ...facts.of, [uid]: { ...factOf(facts, uid), ...more } } }
}

export function counted(
  counts: Readonly<Record<string, number>>,
  stage: string,
): Record<string, number> {
  return { ...counts, [stage]: (counts[stage] ?? 0) + 1 }
}

export function isNewer(scenario: Scenario, one: string, other: string): boolean {
  const version = (uid: string): string =>
    versionOf(scenario.requests.find((request) => request.uid === uid)?.sentAt ?? 0, uid)
  return one !== '' && (other === '' || version(one) > version(other))
}
