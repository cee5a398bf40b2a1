import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { packageService, type Template } from '../../documents/deploy/packaged.ts'
import { createUser, environmentOf, type Key, outputsOf, rootClients } from './account.ts'
import { bridged } from './bridge.ts'
import { readmeActions } from '../../documents/deploy/readmeActions.ts'
import { type Ministack, ROOT_KEY, startMinistack } from './startMinistack.ts'
import { switchOn } from './switchOn.ts'

/** Where serverless.yml is deployed. */
export interface Deployment {
  readonly endpoint: string
  readonly api: string
  readonly operator: Key
  /** May call the API. */
  readonly customer: Key
}

declare module 'vitest' {
  export interface ProvidedContext {
    deployment: Deployment
  }
}

/** Packages serverless.yml, and deploys it once for all files. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const engine = await timed('ministack answers', startWithRetry)
  try {
    const { endpoint } = engine
    await deploy(endpoint)
    const operator = await createUser(endpoint, 'operator', readmeActions('of an operator'))
    const customer = await createUser(endpoint, 'customer', ['execute-api:Invoke'])
    const outputs = await outputsOf(endpoint, STACK)
    const [id = ''] = new URL(outputs.get('HttpApiUrl') ?? '').hostname.split('.')
    provide('deployment', {
      endpoint,
      operator,
      customer,
      api: `${endpoint}/_aws/execute-api/${id}/$default`,
    })
  } catch (error) {
    const said = await engine.said()
    await engine.stop()
    throw new Error(`serverless.yml could not be deployed. The engine said:\n${said}`, {
      cause: error,
    })
  }
  return () => engine.stop()
}

const STACK = 'lineclear-dev'

/** A slow machine may have been busy with something else. */
function startWithRetry(): Promise<Ministack> {
  return startMinistack().catch((error: unknown) => {
    console.error(`${String(error)}\nOnce more …`)
    return startMinistack()
  })
}

async function timed<T>(what: string, run: () => Promise<T>): Promise<T> {
  const began = Date.now()
  const result = await run()
  console.log(`${what} after ${((Date.now() - began) / 1_000).toFixed(1)} s`)
  return result
}

async function deploy(endpoint: string): Promise<void> {
  const service = await timed('serverless.yml is packaged', packageService)
  try {
    bridgePackage(service.folder)
    const environment = { ...environmentOf(endpoint, ROOT_KEY), CI: 'true' }
    await timed('serverless.yml is deployed', () => service.deploy(environment))
    const { dynamodb } = rootClients(endpoint)
    await switchOn(dynamodb, service.template)
    dynamodb.destroy()
  } finally {
    service.remove()
  }
}

/** The template that `deploy` sends is in the state of the package. */
function bridgePackage(folder: string): void {
  const file = join(folder, 'serverless-state.json')
  const state = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly service: { readonly provider: { compiledCloudFormationTemplate: Template } }
  }
  const { provider } = state.service
  provider.compiledCloudFormationTemplate = bridged(provider.compiledCloudFormationTemplate)
  writeFileSync(file, JSON.stringify(state))
}
