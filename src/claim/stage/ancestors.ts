import type { StageEntry } from './stageEntry.ts'

/** The stages that led to `stage`: each of them had settled before the next one began. */
export function ancestorsOf(
  stages: ReadonlyMap<string, StageEntry>,
  stage: string,
): ReadonlySet<string> {
  const found = new Set<string>()
  const left = [stage]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    for (const [name, entry] of stages) {
      if (entry.status !== 'settled' || !entry.sentTo.includes(next) || found.has(name)) continue
      found.add(name)
      left.push(name)
    }
  }
  return found
}
