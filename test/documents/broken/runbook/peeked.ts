import { expect } from 'vitest'
import type { Hand } from './hand.ts'
import type { Lane } from './lane.ts'

/** Finds the group of that reason, and types what introduces the table. @returns what is shown of its dead letters */
export async function peeked(
  { type }: Pick<Hand, 'type'>,
  one: Lane,
  reason: string,
  QUEUE = 'dead',
): Promise<string> {
  const listed = await one.typed('dlq', 'groups', QUEUE, '--json')
  const { groups } = JSON.parse(listed.text) as {
    readonly groups: readonly { readonly group: string; readonly reason: string }[]
  }
  const NAME = groups.find((each) => each.reason === reason)?.group
  expect(NAME, `${reason}: ${listed.text}`).toBeDefined()
  const { code, text } = await type('dlq peek', { QUEUE, NAME: NAME ?? '' }, one)
  expect(code).toBe(0)
  expect(text).toMatch(new RegExp(`^ +reason +${reason}$`, 'm'))
  expect(text).not.toMatch(/^ +body /m)
  return text
}
