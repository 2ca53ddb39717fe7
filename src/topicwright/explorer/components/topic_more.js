// Labels or weights, topics like it, time, and documents.
const list = { type: Array, default: () => [] };

export default {
  template: `
    <div class="topic-more">
      <section v-if="bars" aria-labelledby="bars-head">
        <h3 id="bars-head">{{ bars.head }}</h3>
        <ul class="bars">
          <li v-for="row in bars.rows" :key="row.name"><span :title="row.name">{{ row.name }}</span>
            <span class="track" :class="{ less: row.less }"><i :style="{ width: row.width + '%' }"></i></span><span class="figure">{{ row.told }}</span></li>
        </ul>
      </section>
      <section v-if="time" aria-labelledby="time-head">
        <h3 id="time-head">Over time</h3>
        <p class="hint">{{ time.head }}, {{ time.told }}</p>
        <svg class="time" viewBox="0 0 200 50" preserveAspectRatio="none" aria-hidden="true"><path class="floor" d="M0 48H200"></path><path class="line" :d="time.line"></path><path class="sure" :d="time.sure"></path></svg>
        <p class="ends" aria-hidden="true"><span v-for="name in time.names" :key="name">{{ name }}</span></p>
      </section>
      <section v-if="near.length" aria-labelledby="near-head">
        <h3 id="near-head">Topics with like words</h3>
        <p class="chips"><button v-for="one in near" :key="one.topic" type="button" class="chip" :title="one.like" @click="$emit('choose', one.topic)">
          <span class="number">{{ one.topic }}</span> {{ one.title }}</button></p>
      </section>
      <section v-if="documents.length" aria-labelledby="documents-head">
        <h3 id="documents-head">Documents that have most of it</h3>
        <ul class="documents">
          <li v-for="one in documents" :key="one.row"><button type="button" class="document" @click="$emit('read', one.row)">
            <span class="head"><b>{{ one.name }}</b><span>{{ [one.share + " of it", ...one.labels].join(" · ") }}</span></span>
            <span class="passage"><template v-for="(piece, n) in one.pieces" :key="n"><mark v-if="n % 2">{{ piece }}</mark><template v-else>{{ piece }}</template></template></span>
          </button></li>
        </ul>
      </section>
    </div>`,
  props: {
    bars: Object, time: Object,
    near: list,
    documents: list,
  },
  emits: ["choose", "read"],
};
