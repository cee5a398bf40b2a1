import type { TestProject } from 'vitest/node'
import { changeTemplate } from '../../aws/deployment.ts'
import { packageService } from '../../documents/deploy/packaged.ts'
import { createUser, environmentOf, type Key, rootAccount } from './account.ts'
import { clientsOf } from '../../aws/places/deployed.ts'
import { bridged } from './bridge.ts'
import { readmeActions } from '../../documents/deploy/readmeActions.ts'
import { type Ministack, ROOT_KEY, startMinistack } from './startMinistack.ts'
import { switchOn } from './switchOn.ts'

/** Where serverless.yml is deployed. */
export interface Deployment {
  readonly endpoint: string
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
    provide('deployment', { endpoint, operator, customer })
  } catch (error) {
    const said = await engine.said()
    await engine.stop()
    throw new Error(`serverless.yml could not be deployed. The engine said:\n${said}`, {
      cause: error,
    })
  }
  return () => engine.stop()
}

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
    changeTemplate(service.folder, bridged)
    const environment = { ...environmentOf(endpoint, ROOT_KEY), CI: 'true' }
    await timed('serverless.yml is deployed', () => service.deploy(environment))
    const { dynamodb } = clientsOf(rootAccount(endpoint))
    await switchOn(dynamodb, service.template)
    dynamodb.destroy()
  } finally {
    service.remove()
  }
}
