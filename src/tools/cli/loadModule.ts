import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ConfigError, messageOf } from '../../base/errors.ts'

/** Loads a module that the user names. @throws ConfigError */
export async function loadModule(
  option: string,
  file: string,
): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(resolve(file)).href)) as Readonly<Record<string, unknown>>
  } catch (error) {
    const hint = /Unknown file extension/.test(messageOf(error))
      ? '. This Node.js does not run TypeScript: take version 22.18 or later, or a .js file'
      : ''
    throw new ConfigError(
      `${option}: expected a module that can be loaded; ${messageOf(error)}${hint}`,
    )
  }
}
