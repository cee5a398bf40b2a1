import { describe, expect, it } from 'vitest'
import {
  insertStatement,
  updateStatement,
} from '../../src/library/adapters/store/dynamodb/fast/statement.ts'
import type { Condition, Update } from '../../src/library/protocol/store/store.ts'

const nothingKnown = { denied: new Set<never>(), unreadable: new Set<string>() }

function updateOf(change: Partial<Update>): Update {
  return { key: { pk: 'p', sk: 's' }, where: [], ...change }
}

function textOf(change: Partial<Update>): string | undefined {
  return updateStatement('table', updateOf(change), nothingKnown)?.Statement
}

describe('a batched update', () => {
  // https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ql-reference.update.html
  it('has a clause for each attribute, as AWS documents it', () => {
    const where: Condition[] = [
      { field: 'attemptId', is: '=', value: 'mine' },
      { any: [{ absent: 'a' }, { field: 'a', is: '<>', value: 1 }, { field: 'b', lacks: 'x' }] },
    ]
    const statement = updateStatement(
      'table',
      updateOf({
        where,
        set: { a: 2, b: true },
        remove: ['c', 'd'],
        addTo: { field: 'e', member: 'm' },
        needsNoItem: true,
      }),
      nothingKnown,
    )
    expect(statement).toEqual({
      Statement:
        'UPDATE "table" SET "a"=? SET "b"=? SET "e"=set_add("e", ?) REMOVE "c" REMOVE "d" ' +
        'WHERE "pk"=? AND "sk"=? AND "format" = ? AND "attemptId" = ? ' +
        'AND ("a" IS MISSING OR ("a" IS MISSING OR "a" <> ?) ' +
        'OR ("b" IS MISSING OR NOT contains("b", ?)))',
      Parameters: [
        { N: '2' },
        { BOOL: true },
        { SS: ['m'] },
        { S: 'p' },
        { S: 's' },
        { N: '1' },
        { S: 'mine' },
        { N: '1' },
        { S: 'x' },
      ],
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    })
  })

  it('is one text for one shape, whatever the values', () => {
    const text = textOf({ set: { a: 1 }, where: [{ exists: 'b' }] })
    expect(textOf({ set: { a: 2 }, where: [{ exists: 'b' }], key: { pk: 'q', sk: 't' } })).toBe(
      text,
    )
  })

  /** The forms that are sent one after the other, while the engine can read none of them. */
  function formsOf(update: Update): readonly string[] {
    const unreadable = new Set<string>()
    const next = () => updateStatement('table', update, { ...nothingKnown, unreadable })
    for (let form = next(); form !== undefined; form = next()) unreadable.add(form.Statement)
    return [...unreadable]
  }

  // The last clause, as AWS documents it; captured from AWS in paritysuite/dynamodb-conformance, pull request #103.
  it('asks for the item after the write at its end, and does without once the engine could not read that', () => {
    expect(formsOf(updateOf({ set: { a: 1 }, where: [{ exists: 'b' }] }))).toEqual([
      'UPDATE "table" SET "a"=? WHERE "pk"=? AND "sk"=? AND "format" = ? AND "b" IS NOT MISSING RETURNING ALL NEW *',
      'UPDATE "table" SET "a"=? WHERE "pk"=? AND "sk"=? AND "format" = ? AND "b" IS NOT MISSING',
    ])
  })

  it('has lists once the engine could read neither form that AWS documents', () => {
    const documented =
      'UPDATE "table" SET "a"=? SET "b"=? REMOVE "c" REMOVE "d" WHERE "pk"=? AND "sk"=? AND "format" = ?'
    const listed =
      'UPDATE "table" SET "a"=?, "b"=? REMOVE "c", "d" WHERE "pk"=? AND "sk"=? AND "format" = ?'
    const update = updateOf({ set: { a: 1, b: 2 }, remove: ['c', 'd'] })
    expect(formsOf({ ...update, needsNoItem: true })).toEqual([documented, listed])
    expect(formsOf(update)).toEqual([
      `${documented} RETURNING ALL NEW *`,
      documented,
      `${listed} RETURNING ALL NEW *`,
      listed,
    ])
  })

  it.each(['a.b', 'a"b', "a'b", 'ä', '🚂', 'a[0]', ''])('is not made for the name %j', (name) => {
    expect(textOf({ set: { [name]: 1 } })).toBeUndefined()
    expect(textOf({ remove: [name] })).toBeUndefined()
    expect(textOf({ set: { a: 1 }, where: [{ exists: name }] })).toBeUndefined()
    expect(insertStatement('table', { pk: 'p', sk: 's', [name]: 1 })).toBeUndefined()
  })

  it('is not made for no change at all', () => {
    expect(textOf({ where: [{ exists: 'a' }] })).toBeUndefined()
  })
})

describe('a batched insert', () => {
  it('names every attribute', () => {
    const statement = insertStatement('table', { pk: 'p', sk: 's', 'stage:a': 1, none: new Set() })
    expect(statement).toMatchObject({
      Statement: `INSERT INTO "table" VALUE {'pk':?,'sk':?,'stage:a':?}`,
      Parameters: [{ S: 'p' }, { S: 's' }, { N: '1' }],
    })
  })
})
