import type { Actor } from './world.ts'

/** Random ids, by the invocation that first used them: schedules that differ in nothing else are the same. */
export type Names = Map<string, string>

const ULID = /[0-9A-HJKMNP-TV-Z]{26}/g

/** What an invocation sends: ids that nobody has used before are its own. */
export function nameIds(names: Names, actor: Actor, text: string): void {
  for (const [id] of text.matchAll(ULID)) {
    if (!names.has(id)) names.set(id, `${actor.name}${names.size}`)
  }
}

export function named(names: Names, text: string): string {
  return text.replaceAll(ULID, (id) => names.get(id) ?? id)
}
