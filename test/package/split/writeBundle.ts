import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { serverlessBuild } from './serverlessBuild.ts'

/** Inside the repository, where the SDK is found. */
const FOLDER = resolve(import.meta.dirname, '../../../.esbuild/split')
export const BUNDLE: string = join(FOLDER, 'handler.mjs')

/** Everything that `lineclear` exports, without the SDK, whose doubles go by the names of its commands. */
export default async function writeBundle(): Promise<() => Promise<void>> {
  const external = ['@aws-sdk/*', '@smithy/*']
  const { hot, later } = await serverlessBuild(`export * from 'lineclear'`, FOLDER, { external })
  await mkdir(FOLDER, { recursive: true })
  for (const { name, code } of [...hot, ...later]) await writeFile(join(FOLDER, name), code)
  return () => rm(FOLDER, { recursive: true })
}
