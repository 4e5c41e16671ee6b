import type { Catalogue } from '#foundation/web/client/texts.ts'

const en = {
  hint: 'The same video in other resolutions. Learners choose by height; the default is the video URL.',
  one: 'rendition',
  add: 'Add a rendition',
  url: 'File URL',
  height: 'Height in pixels',
}
type RenditionText = keyof typeof en

const de: Catalogue<RenditionText>['de'] = {
  hint: 'Dasselbe Video in anderen Größen. Lernende wählen nach der Höhe; wer nie gewählt hat, bekommt die Adresse des Videos selbst.',
  one: 'Fassung',
  add: 'Fassung hinzufügen',
  url: 'Adresse der Datei',
  height: 'Höhe in Pixeln',
}

const es: Catalogue<RenditionText>['es'] = {
  hint: 'El mismo vídeo en otros tamaños. Los alumnos eligen por la altura; quien nunca eligió recibe la dirección del propio vídeo.',
  one: 'versión',
  add: 'Añadir una versión',
  url: 'Dirección del archivo',
  height: 'Altura en píxeles',
}

export const RENDITION_TEXTS: Catalogue<RenditionText> = { en, de, es }
