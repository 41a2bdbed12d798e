import { ProtocolError, ProtocolErrorCode, type Server, type ServerContext } from '@modelcontextprotocol/server'
import { isLoomError } from '../contract/errors.ts'
import { stringifyJson } from '../contract/json.ts'
import { MEMORY_TEMPLATE, PROMPTS, RESOURCES, resourceAt, type Reading } from '../contract/mcp-offers.ts'

/** Runs an operation for the client of a request. */
export type OfferCall = (reading: Reading, context: ServerContext) => Promise<Record<string, unknown>>

const invalid = (message: string): ProtocolError => new ProtocolError(ProtocolErrorCode.InvalidParams, message)

/** These requests have no place for the documented error body beside its message. */
async function asked(run: Promise<Record<string, unknown>>): Promise<Record<string, unknown>> {
  try {
    return await run
  } catch (error) {
    if (isLoomError(error)) throw invalid(`${error.code}: ${error.message}`)
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'Something went wrong inside Loom. Try again.')
  }
}

/** Offers prompts and resources on a server; each is one operation, run as any call of its client. */
export function offerReadings(server: Server, call: OfferCall): void {
  server.setRequestHandler('prompts/list', () => ({
    prompts: PROMPTS.map(({ name, title, description, arguments: fields }) => ({ name, title, description, arguments: [...fields] })),
  }))
  server.setRequestHandler('prompts/get', async ({ params }, context) => {
    const prompt = PROMPTS.find(({ name }) => name === params.name)
    if (!prompt) throw invalid(`There is no prompt ${JSON.stringify(params.name.slice(0, 64))}. prompts/list names those there are.`)
    const given = params.arguments ?? {}
    const missing = prompt.arguments.find(({ name, required }) => required && (given[name] ?? '').trim() === '')
    if (missing) throw invalid(`${missing.name} is missing. ${missing.description}`)
    const read = prompt.reads === undefined ? {} : await asked(call(prompt.reads(given), context))
    return {
      description: prompt.description,
      messages: [{ role: 'user' as const, content: { type: 'text' as const, text: prompt.says(given, read) } }],
    }
  })
  server.setRequestHandler('resources/list', () => ({
    resources: RESOURCES.map(({ uri, name, title, description, mimeType }) => ({ uri, name, title, description, mimeType })),
  }))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [MEMORY_TEMPLATE] }))
  server.setRequestHandler('resources/read', async ({ params }, context) => {
    const resource = resourceAt(params.uri)
    if (!resource) throw invalid(`There is no resource ${JSON.stringify(params.uri.slice(0, 200))}. resources/list names those there are.`)
    const answer = await asked(call(resource.reading, context))
    const text = resource.field === undefined ? stringifyJson(answer) : String(answer[resource.field])
    return { contents: [{ uri: params.uri, mimeType: resource.mimeType, text }] }
  })
}
