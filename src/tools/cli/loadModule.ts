import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ConfigError, messageOf, RejectedError } from '../../library/base/errors.ts'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { isObject, kindOf } from '../../library/base/kindOf.ts'
import { parsePayload } from '../../library/protocol/record/message/parsePayload.ts'

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

/**
 * A schema of the operator's project.
 * @param place `FILE#EXPORT`; without `#EXPORT` the default export
 * @returns says of a JSON payload why the schema refuses it
 * @throws ConfigError
 */
export async function loadSchema(
  place: string,
): Promise<(payload: string) => Promise<string | undefined>> {
  const at = place.lastIndexOf('#')
  const [file, name] = at < 0 ? [place, 'default'] : [place.slice(0, at), place.slice(at + 1)]
  const { [name]: schema } = await loadModule('--schema', file)
  if (!isSchema(schema)) {
    throw new ConfigError(
      `--schema: expected the export '${name}' of ${file} to be a Standard Schema, as of Zod, Valibot or ArkType; got ${kindOf(schema)}. ` +
        `Give FILE#EXPORT. Nothing was sent`,
    )
  }
  return async (payload) => {
    try {
      await parsePayload(payload, 'json', schema)
      return undefined
    } catch (error) {
      if (error instanceof RejectedError) return error.message
      throw error
    }
  }
}

function isSchema(value: unknown): value is StandardSchemaV1 {
  if (!isObject(value) && typeof value !== 'function') return false
  const standard: unknown = (value as { readonly '~standard'?: unknown })['~standard']
  return isObject(standard) && typeof standard['validate'] === 'function'
}
