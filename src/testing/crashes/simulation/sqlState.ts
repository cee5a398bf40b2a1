import type { FenceRow, MarkRow } from '../../../features/sql/effects.ts'
import type { Actor } from './simulation.ts'

/** The SQL database of one schedule. */
export interface SqlState {
  readonly fences: Map<string, FenceRow>
  readonly marks: Map<string, MarkRow>
  /** The session that has the lock of a subject. */
  readonly locks: Map<string, SqlSession>
  /** Statements of committed transactions, with their values, in this order. */
  readonly statements: string[]
}

/** One transaction. */
export interface SqlSession {
  readonly actor: Actor
  /** When the server ends it, epoch milliseconds. */
  readonly until: number
  readonly statements: string[]
  lock?: { readonly subject: string; readonly fence: FenceRow }
  mark?: { readonly key: string; row: MarkRow }
  /** Its COMMIT has been sent. */
  isLate: boolean
}

export function openSqlState(): SqlState {
  return { fences: new Map(), marks: new Map(), locks: new Map(), statements: [] }
}

/** Everything in the database that can affect what follows. */
export function sqlStateText({ fences, marks, locks, statements }: SqlState): string {
  const held = [...locks].map(([subject, { actor, statements: own }]) => [subject, actor.name, own])
  return JSON.stringify([[...fences], [...marks], held, statements])
}
