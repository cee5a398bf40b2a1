import { expect, it } from 'vitest'
import { filesIn } from '../../package/bundleOf.ts'

/** The files of the room that are in a bundle of this code. */
const eventFilesIn = async (code: string): Promise<readonly string[]> =>
  (await filesIn(code))
    .filter((file) => file.includes('record/events/'))
    .map((file) => file.replace(/^.*\//, ''))

it.each([
  ['recordHandler', []],
  ['defineFlow', []],
  ['eventBridge', ['eventBridge.ts', 'memberText.ts', 'openedEvents.ts']],
  ['s3Events', ['memberText.ts', 'openedEvents.ts', 's3Events.ts', 's3ObjectEvent.ts']],
])('a bundle with %s holds %j of the events', async (name, files) => {
  const code = `import { ${name} } from 'lineclear'; globalThis.x = ${name}`
  expect((await eventFilesIn(code)).toSorted()).toEqual(files)
})
