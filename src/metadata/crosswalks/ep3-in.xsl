<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: Apache-2.0 -->
<!--
  EPrints XML (EP2 and EP3) to DIM: the first eprint of the document. Fields with a home in Dublin Core go there, when it takes
  them without loss; all others stay fields of schema eprints: NAME for one value, NAME.item for each of a list. A value with parts (elements
  inside the field) is kept as one JSON value. Persons go to Dublin Core as "Family, Given"; whatever that does not say
  (identifiers, honorifics) is kept beside it in the compound value, and ep3-out.xsl puts the two together again.
  Left out: documents (files of the package) and what belongs to the other repository's own state.
-->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:dim="http://www.dspace.org/xmlns/dspace/dim"
    xmlns:ep="http://eprints.org/ep2/data/2.0" exclude-result-prefixes="ep">

  <xsl:variable name="types" select="concat(';article=Article;book_section=Book Section;monograph=Monograph;conference_item=Conference or Workshop Item;',
    'book=Book;thesis=Thesis;patent=Patent;artefact=Artefact;exhibition=Show/Exhibition;composition=Composition;performance=Performance;',
    'image=Image;video=Video;audio=Audio;dataset=Dataset;experiment=Experiment;teaching_resource=Teaching Resource;other=Other;')"/>

  <xsl:key name="namesake" match="ep:creators/ep:item | ep:editors/ep:item"
    use="concat(local-name(..), '|', normalize-space(ep:name/ep:family), '|', normalize-space(ep:name/ep:given))"/>
  <xsl:key name="namesake" match="ep:creators_name/ep:item | ep:editors_name/ep:item"
    use="concat(local-name(..), '|', normalize-space(ep:family), '|', normalize-space(ep:given))"/>

  <xsl:template match="/">
    <xsl:variable name="eprint" select="(ep:eprint | ep:eprints/ep:eprint | eprints/ep:eprint)[1]"/>
    <xsl:if test="not($eprint)"><xsl:message terminate="yes">not EPrints XML: it has no eprint</xsl:message></xsl:if>
    <dim:dim><xsl:apply-templates select="$eprint/ep:*"/></dim:dim>
  </xsl:template>

  <!-- ==== fields with a home in Dublin Core ==== -->

  <xsl:template match="ep:title[not(*)]"><dim:field mdschema="dc" element="title"><xsl:value-of select="."/></dim:field></xsl:template>
  <xsl:template match="ep:abstract[not(*)]"><dim:field mdschema="dc" element="description" qualifier="abstract"><xsl:value-of select="."/></dim:field></xsl:template>
  <xsl:template match="ep:note[not(*)]"><dim:field mdschema="dc" element="description"><xsl:value-of select="."/></dim:field></xsl:template>
  <xsl:template match="ep:publisher[not(*)]"><dim:field mdschema="dc" element="publisher"><xsl:value-of select="."/></dim:field></xsl:template>
  <xsl:template match="ep:publication[not(*)]"><dim:field mdschema="dc" element="relation" qualifier="ispartof"><xsl:value-of select="."/></dim:field></xsl:template>
  <xsl:template match="ep:official_url[not(*)]"><dim:field mdschema="dc" element="relation" qualifier="uri"><xsl:value-of select="."/></dim:field></xsl:template>
  <xsl:template match="ep:issn[not(*)]"><dim:field mdschema="dc" element="identifier" qualifier="issn"><xsl:value-of select="."/></dim:field></xsl:template>
  <xsl:template match="ep:isbn[not(*)]"><dim:field mdschema="dc" element="identifier" qualifier="isbn"><xsl:value-of select="."/></dim:field></xsl:template>
  <xsl:template match="ep:id_number[not(*)]">
    <xsl:variable name="doi" select="starts-with(normalize-space(), '10.') or starts-with(normalize-space(), 'doi:') or contains(., 'doi.org/10.')"/>
    <dim:field mdschema="dc" element="identifier">
      <xsl:attribute name="qualifier"><xsl:choose><xsl:when test="$doi">doi</xsl:when><xsl:otherwise>other</xsl:otherwise></xsl:choose></xsl:attribute>
      <xsl:value-of select="."/>
    </dim:field>
  </xsl:template>
  <xsl:template match="ep:keywords[not(*)]"><dim:field mdschema="dc" element="subject"><xsl:value-of select="."/></dim:field></xsl:template>
  <xsl:template match="ep:subjects[ep:item][not(ep:item/*)]">
    <xsl:for-each select="ep:item"><dim:field mdschema="dc" element="subject" qualifier="classification"><xsl:value-of select="."/></dim:field></xsl:for-each>
  </xsl:template>
  <xsl:template match="ep:corp_creators[ep:item][not(ep:item/*)]">
    <xsl:for-each select="ep:item"><dim:field mdschema="dc" element="creator"><xsl:value-of select="."/></dim:field></xsl:for-each>
  </xsl:template>

  <xsl:template match="ep:type[not(*)]">
    <xsl:variable name="entry" select="concat(';', normalize-space(), '=')"/>
    <dim:field mdschema="dc" element="type">
      <xsl:choose>
        <xsl:when test="contains($types, $entry)"><xsl:value-of select="substring-before(substring-after($types, $entry), ';')"/></xsl:when>
        <xsl:otherwise><xsl:value-of select="."/></xsl:otherwise>
      </xsl:choose>
    </dim:field>
  </xsl:template>

  <!-- The day of issue only when it is one. -->
  <xsl:template match="ep:date[not(*)]">
    <xsl:variable name="kind" select="normalize-space(../ep:date_type)"/>
    <xsl:choose>
      <xsl:when test="$kind = '' or $kind = 'published'"><dim:field mdschema="dc" element="date" qualifier="issued"><xsl:value-of select="."/></dim:field></xsl:when>
      <xsl:when test="$kind = 'submitted'"><dim:field mdschema="dc" element="date" qualifier="submitted"><xsl:value-of select="."/></dim:field></xsl:when>
      <xsl:when test="$kind = 'completed'"><dim:field mdschema="dc" element="date" qualifier="created"><xsl:value-of select="."/></dim:field></xsl:when>
      <xsl:otherwise><xsl:call-template name="keep"/></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <!-- In several languages: the first one, and all as they are. -->
  <xsl:template match="ep:title[*]">
    <dim:field mdschema="dc" element="title"><xsl:value-of select="(ep:item/ep:text | ep:item[not(*)])[1]"/></dim:field>
    <xsl:call-template name="keep"/>
  </xsl:template>
  <xsl:template match="ep:abstract[*]">
    <dim:field mdschema="dc" element="description" qualifier="abstract"><xsl:value-of select="(ep:item/ep:text | ep:item[not(*)])[1]"/></dim:field>
    <xsl:call-template name="keep"/>
  </xsl:template>

  <!-- ==== persons ==== -->

  <xsl:template match="ep:creators | ep:editors">
    <xsl:for-each select="ep:item">
      <xsl:call-template name="person"><xsl:with-param name="list" select="local-name(..)"/><xsl:with-param name="name" select="ep:name"/></xsl:call-template>
    </xsl:for-each>
  </xsl:template>

  <!-- EP2: names and identifiers are lists side by side. -->
  <xsl:template match="ep:creators_name | ep:editors_name">
    <xsl:variable name="list" select="substring-before(local-name(), '_')"/>
    <xsl:variable name="ids" select="../*[local-name() = concat($list, '_id')]"/>
    <xsl:for-each select="ep:item">
      <xsl:variable name="position" select="position()"/>
      <xsl:call-template name="person">
        <xsl:with-param name="list" select="$list"/><xsl:with-param name="name" select="."/>
        <xsl:with-param name="id" select="$ids/ep:item[$position]"/>
      </xsl:call-template>
    </xsl:for-each>
  </xsl:template>
  <xsl:template match="ep:creators_id[../ep:creators_name] | ep:editors_id[../ep:editors_name]"/>

  <!-- Context: an item of the list. -->
  <xsl:template name="person">
    <xsl:param name="list"/>
    <xsl:param name="name"/>
    <xsl:param name="id" select="/.."/>
    <xsl:variable name="family" select="normalize-space($name/ep:family)"/>
    <xsl:variable name="given" select="normalize-space($name/ep:given)"/>
    <xsl:variable name="qualifier"><xsl:choose><xsl:when test="$list = 'editors'">editor</xsl:when><xsl:otherwise>author</xsl:otherwise></xsl:choose></xsl:variable>
    <xsl:variable name="more" select="ep:*[not(self::ep:name or self::ep:family or self::ep:given)][normalize-space() != ''] |
      $name/*[not(self::ep:family or self::ep:given)][normalize-space() != ''] | $id[normalize-space() != '']"/>
    <dim:field mdschema="dc" element="contributor" qualifier="{$qualifier}">
      <xsl:value-of select="$family"/>
      <xsl:if test="$family != '' and $given != ''">, </xsl:if>
      <xsl:value-of select="$given"/>
    </dim:field>
    <!-- Of namesakes all are kept, so that their order says which is which. -->
    <xsl:if test="$more or contains($family, ', ') or $family = '' or
        count(key('namesake', concat(local-name(..), '|', $family, '|', $given))) > 1">
      <dim:field mdschema="eprints" element="{$list}" qualifier="item">
        <xsl:choose>
          <xsl:when test="ep:name"><xsl:copy-of select="*"/></xsl:when>
          <xsl:otherwise><ep:name><xsl:copy-of select="$name/*"/></ep:name><xsl:if test="$id"><ep:id><xsl:value-of select="$id"/></ep:id></xsl:if></xsl:otherwise>
        </xsl:choose>
      </dim:field>
    </xsl:if>
  </xsl:template>

  <!-- ==== all others ==== -->

  <xsl:template match="ep:documents | ep:files | ep:eprintid | ep:rev_number | ep:eprint_status | ep:userid | ep:dir | ep:lastmod |
    ep:fileinfo | ep:item_issues | ep:item_issues_count | ep:edit_lock | ep:edit_lock_user | ep:edit_lock_since | ep:edit_lock_until"/>

  <xsl:template match="ep:*"><xsl:call-template name="keep"/></xsl:template>

  <xsl:template name="keep">
    <xsl:choose>
      <xsl:when test="ep:item">
        <xsl:for-each select="ep:item"><xsl:call-template name="value"><xsl:with-param name="name" select="local-name(..)"/><xsl:with-param name="qualifier">item</xsl:with-param></xsl:call-template></xsl:for-each>
      </xsl:when>
      <xsl:otherwise><xsl:call-template name="value"><xsl:with-param name="name" select="local-name()"/></xsl:call-template></xsl:otherwise>
    </xsl:choose>
  </xsl:template>

  <xsl:template name="value">
    <xsl:param name="name"/>
    <xsl:param name="qualifier"/>
    <dim:field mdschema="eprints" element="{$name}" qualifier="{$qualifier}">
      <xsl:choose>
        <xsl:when test="*"><xsl:copy-of select="*"/></xsl:when>
        <!-- Text that would be taken for a compound value when it is read again. -->
        <xsl:when test="starts-with(normalize-space(), '{') or starts-with(normalize-space(), '&quot;')"><dim:text><xsl:value-of select="."/></dim:text></xsl:when>
        <xsl:otherwise><xsl:value-of select="."/></xsl:otherwise>
      </xsl:choose>
    </dim:field>
  </xsl:template>
</xsl:stylesheet>
