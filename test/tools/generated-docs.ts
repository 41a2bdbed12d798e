import { stringifyJson } from '../../shared/contract/json.ts'
import { openApiDocument } from '../../shared/contract/openapi.ts'
import { errorsPage, operationsPage } from '../../shared/contract/reference.ts'
import { settingsPage } from './settings-page.ts'

/** Every file under docs/ that is made from the contract, with the text that it should hold. */
export function generatedDocs(): readonly { readonly path: string; readonly text: string }[] {
  return [
    { path: 'docs/operations.md', text: operationsPage() },
    { path: 'docs/errors.md', text: errorsPage() },
    { path: 'docs/settings.md', text: settingsPage() },
    { path: 'docs/openapi.json', text: `${stringifyJson(openApiDocument('multi', 'server'), 2)}\n` },
  ]
}
