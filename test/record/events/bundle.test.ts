import { build } from 'esbuild'
import { expect, it } from 'vitest'

/** The files of the room that are in a bundle of this code. */
async function eventFilesIn(code: string): Promise<readonly string[]> {
  const { metafile } = await build({
    stdin: { contents: code, resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    conditions: ['lineclear:source'],
    external: ['@aws-sdk/*', '@smithy/*'],
  })
  const [output] = Object.values(metafile.outputs)
  return Object.entries(output?.inputs ?? {})
    .filter(([file, { bytesInOutput }]) => file.includes('record/events/') && bytesInOutput > 0)
    .map(([file]) => file.replace(/^.*\//, ''))
}

it.each([
  ['recordHandler', []],
  ['defineFlow', []],
  ['eventBridgeEvents', ['eventBridge.ts', 'eventBridgeEvents.ts', 'unlessTooDeep.ts']],
  [
    's3Notifications',
    ['eventBridge.ts', 's3Notifications.ts', 's3ObjectEvent.ts', 'unlessTooDeep.ts'],
  ],
])('a bundle with %s holds %j of the events', async (name, files) => {
  const code = `import { ${name} } from 'lineclear'; globalThis.x = ${name}`
  expect((await eventFilesIn(code)).toSorted()).toEqual(files)
})
