// Details of a topic: labels or weights, change over time, similar topics, and documents.
const list = { type: Array, default: () => [] };

export default {
  template: `
    <div class="topic-details">
      <section v-if="bars" aria-labelledby="bars-head">
        <h3 id="bars-head">{{ bars.head }}</h3>
        <ul class="bars">
          <li v-for="row in bars.rows" :key="row.name"><span :title="row.name">{{ row.name }}</span>
            <span class="track" :class="{ negative: row.negative }"><i :style="{ width: row.width + '%' }"></i></span><span class="figure">{{ row.value }}</span></li>
        </ul>
      </section>
      <section v-if="time" aria-labelledby="time-head">
        <h3 id="time-head">Over time</h3>
        <p class="hint">{{ time.head }}, {{ time.peak }}</p>
        <svg class="time" viewBox="0 0 200 50" preserveAspectRatio="none" aria-hidden="true"><path class="floor" d="M0 48H200"></path><path class="line" :d="time.line"></path><path class="solid" :d="time.solid"></path></svg>
        <p class="time-axis" aria-hidden="true"><span v-for="name in time.names" :key="name">{{ name }}</span></p>
      </section>
      <section v-if="neighbors.length" aria-labelledby="neighbors-head">
        <h3 id="neighbors-head">Similar topics</h3>
        <p class="chips"><button v-for="one in neighbors" :key="one.topic" type="button" class="chip" :title="one.similarity" @click="$emit('open_topic', one.topic)">
          <span class="number">{{ one.topic }}</span> {{ one.title }}</button></p>
      </section>
      <section v-if="documents.length" aria-labelledby="documents-head">
        <h3 id="documents-head">Documents</h3>
        <ul class="documents">
          <li v-for="one in documents" :key="one.row"><button type="button" class="document" @click="$emit('open_document', one.row)">
            <span class="document-header"><b>{{ one.name }}</b><span>{{ [one.share + " in this topic", ...one.labels].join(" · ") }}</span></span>
            <span class="passage"><template v-for="(piece, n) in one.pieces" :key="n"><mark v-if="n % 2">{{ piece }}</mark><template v-else>{{ piece }}</template></template></span>
          </button></li>
        </ul>
      </section>
    </div>`,
  props: {
    bars: Object, time: Object,
    neighbors: list,
    documents: list,
  },
  emits: ["open_topic", "open_document"],
};
